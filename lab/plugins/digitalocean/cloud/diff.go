package cloud

import (
	"slices"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// diff gathers what differs between a state and new inputs.
type diff map[string]provider.PropertyDiff

func (d diff) update(property string, differs bool) { d.add(property, differs, provider.Update) }
func (d diff) replace(property string, differs bool) {
	d.add(property, differs, provider.UpdateReplace)
}

func (d diff) add(property string, differs bool, kind provider.DiffKind) {
	if differs {
		d[property] = provider.PropertyDiff{Kind: kind, InputDiff: true}
	}
}

// response decides on the order of a replacement as the bridge does: two resources of one given name cannot stand side
// by side, so the old one goes first.
func (d diff) response(oldName, newName *string) infer.DiffResponse {
	replaces := false
	for _, difference := range d {
		replaces = replaces || difference.Kind == provider.UpdateReplace
	}
	given := newName != nil && oldName != nil && *oldName == *newName && !autoName.MatchString(*newName)
	return infer.DiffResponse{
		HasChanges: len(d) > 0, DetailedDiff: d, DeleteBeforeReplace: replaces && given,
	}
}

// differ compares what may be unset, which is the same as its zero value.
func differ[T comparable](old, new *T) bool {
	var zero T
	return valueOr(old, zero) != valueOr(new, zero)
}

// setsDiffer compares without regard to order.
func setsDiffer[T ~string | ~int](old, new []T) bool {
	old, new = slices.Clone(old), slices.Clone(new)
	slices.Sort(old)
	slices.Sort(new)
	return !slices.Equal(slices.Compact(old), slices.Compact(new))
}
