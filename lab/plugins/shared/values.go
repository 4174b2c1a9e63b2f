package shared

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const randomNameDigits = 7

var randomName = regexp.MustCompile(fmt.Sprintf("-[0-9a-f]{%d}$", randomNameDigits))

// withName generates a name for a resource without one, and keeps it in later runs.
func withName(olds, news property.Map, logicalName string) (property.Map, error) {
	if news.Get("name").IsComputed() || !news.Get("name").IsNull() {
		return news, nil
	}
	if old := olds.Get("name"); old.IsString() && randomName.MatchString(old.AsString()) {
		return news.Set("name", old), nil
	}
	name, err := resource.NewUniqueHex(logicalName+"-", randomNameDigits, 0)
	return news.Set("name", property.New(name)), err
}

// Diff collects the differences between a state and new inputs.
type Diff struct {
	changes              map[string]provider.PropertyDiff
	fixedName, replacing bool
}

// Update adds a difference that can be applied in place.
func (d *Diff) Update(property string, differs bool) { d.add(property, differs, provider.Update) }

// Replace adds a difference that needs a replacement.
func (d *Diff) Replace(property string, differs bool) {
	d.replacing = d.replacing || differs
	d.add(property, differs, provider.UpdateReplace)
}

// Name adds a different name, which can be applied in place. Two resources cannot have the same given name at once, so
// a resource that keeps its given name is deleted before its replacement is made.
func (d *Diff) Name(old, new *string) {
	d.Update("name", Differ(old, new))
	d.fixedName = new != nil && !Differ(old, new) && !randomName.MatchString(*new)
}

func (d *Diff) add(property string, differs bool, kind provider.DiffKind) {
	if differs {
		d.changes[property] = provider.PropertyDiff{Kind: kind, InputDiff: true}
	}
}

func (d *Diff) response() infer.DiffResponse {
	return infer.DiffResponse{
		HasChanges: len(d.changes) > 0, DetailedDiff: d.changes, DeleteBeforeReplace: d.replacing && d.fixedName,
	}
}

// Or returns the value, or the fallback if it is nil.
func Or[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}

// Differ compares two optional values. An unset value equals the zero value.
func Differ[T comparable](old, new *T) bool {
	var zero T
	return Or(old, zero) != Or(new, zero)
}

// SameSet compares two lists without regard to their order.
func SameSet[T ~int | ~string](a, b []T) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Texts formats values. Values with the same meaning give the same text.
func Texts[T fmt.Stringer](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.String()
	}
	return texts
}

// Serve runs a provider until the engine ends it. A changed setting replaces neither the provider nor its resources, as
// with a provider that is bridged from Terraform.
func Serve(name, version string, builder *infer.ProviderBuilder) {
	served, err := builder.Build()
	if inferred := served.DiffConfig; err == nil && inferred != nil {
		served.DiffConfig = func(ctx context.Context, req provider.DiffRequest) (provider.DiffResponse, error) {
			response, err := inferred(ctx, req)
			for name, difference := range response.DetailedDiff {
				difference.Kind = provider.Update
				response.DetailedDiff[name] = difference
			}
			response.DeleteBeforeReplace = false
			return response, err
		}
	}
	if err == nil {
		err = provider.RunProvider(context.Background(), name, version, served)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
