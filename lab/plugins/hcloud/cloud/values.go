package cloud

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const randomNameDigits = 7

var randomName = regexp.MustCompile(`-[0-9a-f]{7}$`)

func valueOr[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}

func parseID(id string) (int64, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, failure(fmt.Errorf("invalid id %q", id))
	}
	return number, nil
}

// sha1Of is what stands in the outputs instead of user data, and the id of a list.
func sha1Of(userData string) string {
	sum := sha1.Sum([]byte(userData))
	return base64.StdEncoding.EncodeToString(sum[:])
}

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

// diffs collects what differs between the state and the inputs.
type diffs map[string]provider.PropertyDiff

func (d diffs) update(property string, differs bool) { d.add(property, differs, provider.Update) }

func (d diffs) replace(property string, differs bool) {
	d.add(property, differs, provider.UpdateReplace)
}

func (d diffs) add(property string, differs bool, kind provider.DiffKind) {
	if differs {
		d[property] = provider.PropertyDiff{Kind: kind, InputDiff: true}
	}
}

// response decides about the order of a replacement: a name of the program's choice cannot exist twice.
func (d diffs) response(name *string) provider.DiffResponse {
	replaces := slices.ContainsFunc(slices.Collect(maps.Values(d)), func(diff provider.PropertyDiff) bool {
		return diff.Kind == provider.UpdateReplace
	})
	fixedName := name != nil && !randomName.MatchString(*name)
	return provider.DiffResponse{
		HasChanges: len(d) > 0, DetailedDiff: d, DeleteBeforeReplace: replaces && fixedName,
	}
}

func sameLabels(a, b map[string]string) bool { return maps.Equal(a, b) }

func sameSet[T int | string](a, b []T) bool {
	return slices.Equal(sorted(a), sorted(b))
}

func sorted[T int | string](values []T) []T { return slices.Sorted(slices.Values(values)) }

func missing[T comparable](from, in []T) []T {
	return slices.DeleteFunc(slices.Clone(from), func(value T) bool { return slices.Contains(in, value) })
}

func trimmed(key string) string { return strings.TrimSpace(key) }

func isGone(err error) bool { return hcloud.IsError(err, hcloud.ErrorCodeNotFound) }
