package cloud

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Filter keeps what has one of the values in a property, named in snake case as in Terraform.
type Filter struct {
	All     *bool    `pulumi:"all,optional"`
	Key     string   `pulumi:"key"`
	MatchBy *string  `pulumi:"matchBy,optional"`
	Values  []string `pulumi:"values"`
}

// Sort orders by a property.
type Sort struct {
	Direction *string `pulumi:"direction,optional"`
	Key       string  `pulumi:"key"`
}

// Sifting is what all lists can be asked for.
type Sifting struct {
	Filters []Filter `pulumi:"filters,optional"`
	Sorts   []Sort   `pulumi:"sorts,optional"`
}

// sift applies filters, then sorts, the first one counting most.
func sift[T any](items []T, by Sifting) ([]T, error) {
	kept := make([]T, 0, len(items))
	for _, item := range items {
		keep := true
		for _, filter := range by.Filters {
			matches, err := filter.matches(item)
			if err != nil {
				return nil, err
			}
			keep = keep && matches
		}
		if keep {
			kept = append(kept, item)
		}
	}
	for _, sort := range slices.Backward(by.Sorts) {
		sign := 1
		if strings.EqualFold(valueOr(sort.Direction, "asc"), "desc") {
			sign = -1
		}
		var err error
		slices.SortStableFunc(kept, func(a, b T) int {
			left, leftErr := fieldOf(a, sort.Key)
			right, rightErr := fieldOf(b, sort.Key)
			err = cmp.Or(err, leftErr, rightErr)
			return sign * compare(left, right)
		})
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}

func (f Filter) matches(item any) (bool, error) {
	value, err := fieldOf(item, f.Key)
	if err != nil {
		return false, err
	}
	found := []string{fmt.Sprint(value)}
	if list, ok := value.([]string); ok {
		found = list
	}
	number := 0
	for _, wanted := range f.Values {
		match, err := matcher(valueOr(f.MatchBy, "exact"), wanted)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(found, match) {
			number++
		}
	}
	if valueOr(f.All, false) {
		return number == len(f.Values), nil
	}
	return number > 0, nil
}

func matcher(by, wanted string) (func(string) bool, error) {
	switch by {
	case "exact":
		return func(found string) bool { return strings.EqualFold(found, wanted) }, nil
	case "substring":
		return func(found string) bool { return strings.Contains(found, wanted) }, nil
	case "re":
		expression, err := regexp.Compile(wanted)
		if err != nil {
			return nil, fmt.Errorf("unable to parse value as regular expression: %s: %w", wanted, err)
		}
		return expression.MatchString, nil
	}
	return nil, fmt.Errorf("expected match_by to be one of [exact re substring], got %s", by)
}

// fieldOf finds a field by the snake case form of its name in the schema.
func fieldOf(item any, key string) (any, error) {
	value := reflect.ValueOf(item)
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("pulumi"), ",")
		if snake(strings.TrimSuffix(name, "_")) == key {
			return value.Field(i).Interface(), nil
		}
	}
	return nil, fmt.Errorf("expected filter.0.key to be one of the listed items' properties, got %s", key)
}

var capital = regexp.MustCompile("[A-Z]")

func snake(name string) string {
	return capital.ReplaceAllStringFunc(name, func(letter string) string { return "_" + strings.ToLower(letter) })
}

func compare(a, b any) int {
	switch a := a.(type) {
	case int:
		return cmp.Compare(a, b.(int))
	case float64:
		return cmp.Compare(a, b.(float64))
	default:
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}
}

const perPage = 200

// everything reads a list to its last page.
func everything[T any](
	list func(context.Context, *godo.ListOptions) ([]T, *godo.Response, error),
) ([]T, error) {
	all := []T{}
	for page := 1; ; page++ {
		items, response, err := list(context.Background(), &godo.ListOptions{Page: page, PerPage: perPage})
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		if response.Links == nil || response.Links.IsLastPage() {
			return all, nil
		}
	}
}

// listID is the id of the answer to a list, which nobody uses.
func listID() string {
	id, _ := resource.NewUniqueHex("list-", 8, 0)
	return id
}
