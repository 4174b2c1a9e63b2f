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

// withName gives a resource without a name one of its own, and keeps it in later runs.
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

// Diff collects what differs between a state and new inputs.
type Diff struct {
	changes              map[string]provider.PropertyDiff
	fixedName, replacing bool
}

// Update notes what can be changed in place.
func (d *Diff) Update(property string, differs bool) { d.add(property, differs, provider.Update) }

// Replace notes what can't.
func (d *Diff) Replace(property string, differs bool) {
	d.replacing = d.replacing || differs
	d.add(property, differs, provider.UpdateReplace)
}

// Name notes another name, which can be changed in place. Two resources of one given name can't stand side by side, so
// the old one is deleted before its replacement is made.
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

// Or returns the value, or the fallback where there is none.
func Or[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}

// Differ compares what may be unset, which is the same as its zero value.
func Differ[T comparable](old, new *T) bool {
	var zero T
	return Or(old, zero) != Or(new, zero)
}

// SameSet compares without regard to order.
func SameSet[T ~int | ~string](a, b []T) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Texts writes values such that two which mean the same are the same text.
func Texts[T fmt.Stringer](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.String()
	}
	return texts
}

// Serve runs a provider until the engine ends it. As with a provider that is bridged from Terraform a changed setting
// replaces neither it nor, with it, all that it made.
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
