package cloud

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/digitalocean/godo"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// AsBridged gives an inferred provider the manners of one that is bridged from Terraform: a changed setting of the
// provider replaces neither it nor, with it, all that it made; and functions tell `id` and `urn`, which are written with
// a `_` behind them because infer keeps these names to itself.
func AsBridged(inferred provider.Provider) provider.Provider {
	bridged := inferred
	bridged.DiffConfig = func(ctx context.Context, req provider.DiffRequest) (provider.DiffResponse, error) {
		response, err := inferred.DiffConfig(ctx, req)
		for name, difference := range response.DetailedDiff {
			difference.Kind = provider.Update
			response.DetailedDiff[name] = difference
		}
		response.DeleteBeforeReplace = false
		return response, err
	}
	bridged.Invoke = func(ctx context.Context, req provider.InvokeRequest) (provider.InvokeResponse, error) {
		req.Args = renamed(property.New(req.Args), func(name string) string {
			if name == "id" || name == "urn" {
				return name + "_"
			}
			return name
		}).AsMap()
		response, err := inferred.Invoke(ctx, req)
		response.Return = renamed(property.New(response.Return), func(name string) string {
			return strings.TrimSuffix(name, "_")
		}).AsMap()
		return response, err
	}
	return bridged
}

func renamed(value property.Value, rename func(string) string) property.Value {
	switch {
	case value.IsMap():
		fields := map[string]property.Value{}
		for name, field := range value.AsMap().All {
			fields[rename(name)] = renamed(field, rename)
		}
		return property.WithGoValue(value, fields)
	case value.IsArray():
		items := []property.Value{}
		for _, item := range value.AsArray().All {
			items = append(items, renamed(item, rename))
		}
		return property.WithGoValue(value, items)
	}
	return value
}

// timeout is the one that the program gave, or the resource's own.
func timeout(ctx context.Context, own time.Duration) time.Duration {
	if deadline, given := ctx.Deadline(); given {
		return time.Until(deadline)
	}
	return time.Duration(float64(own) * pace)
}

const randomDigits = 7

var autoName = regexp.MustCompile(fmt.Sprintf("-[0-9a-f]{%d}$", randomDigits))

// named makes up a name where the program gave none, and keeps one that was made up before.
func named(resource string, olds, news property.Map) property.Map {
	if _, given := news.GetOk("name"); given {
		return news
	}
	if old, ok := olds.GetOk("name"); ok && old.IsString() {
		return news.Set("name", old)
	}
	digits := make([]byte, (randomDigits+1)/2)
	_, _ = rand.Read(digits)
	return news.Set("name", property.New(resource+"-"+hex.EncodeToString(digits)[:randomDigits]))
}

// failed says what went wrong as the bridge does.
func failed(doing string, err error) error {
	return fmt.Errorf("1 error occurred:\n\t* %s: %w\n\n", doing, err)
}

func isGone(response *godo.Response) bool {
	return response != nil && response.StatusCode == http.StatusNotFound
}
