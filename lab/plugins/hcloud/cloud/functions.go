package cloud

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// WithFunctions serves the functions beside the resources. infer cannot: it has no place for a property called id, and
// each of these has one.
func WithFunctions(served provider.Provider) provider.Provider {
	served.Invoke = func(ctx context.Context, req provider.InvokeRequest) (provider.InvokeResponse, error) {
		_, name, _ := strings.Cut(string(req.Token.Module().Name()), "index/")
		call, ok := functions[name]
		if !ok {
			return provider.InvokeResponse{}, fmt.Errorf("%s is not in the lab's stand-in for this plugin", req.Token)
		}
		if configured == nil {
			return provider.InvokeResponse{}, failure(errNoToken)
		}
		result, err := call(ctx, req.Args)
		return provider.InvokeResponse{Return: result}, failure(err)
	}
	return served
}

type function func(context.Context, property.Map) (property.Map, error)

var functions = map[string]function{
	"getServerType":  typed(getServerType),
	"getServerTypes": typed(getServerTypes),
	"getLocations":   typed(getLocations),
	"getDatacenters": typed(getDatacenters),
	"getImage":       typed(getImage),
	"getImages":      typed(getImages),
	"getServer":      typed(getServer),
	"getServers":     typed(getServers),
	"getSshKeys":     typed(getSSHKeys),
}

// typed goes through JSON, which has all that these properties are.
func typed[I, O any](call func(context.Context, *hcloud.Client, I) (O, error)) function {
	return func(ctx context.Context, args property.Map) (property.Map, error) {
		var in I
		text, err := json.Marshal(plain(property.New(args)))
		if err == nil {
			err = json.Unmarshal(text, &in)
		}
		if err != nil {
			return property.Map{}, err
		}
		out, err := call(ctx, configured, in)
		if err != nil {
			return property.Map{}, err
		}
		if text, err = json.Marshal(out); err != nil {
			return property.Map{}, err
		}
		var result map[string]any
		if err = json.Unmarshal(text, &result); err != nil {
			return property.Map{}, err
		}
		return properties(result).AsMap(), nil
	}
}

func plain(value property.Value) any {
	switch {
	case value.IsString():
		return value.AsString()
	case value.IsNumber():
		return value.AsNumber()
	case value.IsBool():
		return value.AsBool()
	case value.IsArray():
		list := []any{}
		for _, element := range value.AsArray().All {
			list = append(list, plain(element))
		}
		return list
	case value.IsMap():
		object := map[string]any{}
		for key, element := range value.AsMap().All {
			object[key] = plain(element)
		}
		return object
	}
	return nil
}

func properties(value any) property.Value {
	switch value := value.(type) {
	case string:
		return property.New(value)
	case float64:
		return property.New(value)
	case bool:
		return property.New(value)
	case []any:
		list := make([]property.Value, len(value))
		for i, element := range value {
			list[i] = properties(element)
		}
		return property.New(list)
	case map[string]any:
		object := map[string]property.Value{}
		for key, element := range value {
			object[key] = properties(element)
		}
		return property.New(object)
	}
	return property.Value{}
}
