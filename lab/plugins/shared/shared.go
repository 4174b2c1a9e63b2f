// Package shared contains what the stand-ins have in common: one frame for all resources of the two clouds, and the
// behavior of a provider that is bridged from Terraform.
package shared

import (
	"context"
	"errors"
	"fmt"
	"os"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// State is a resource's state at a cloud, with the inputs in it. Create returns an id together with an error if the
// resource exists only in part.
type State[I, S any] interface {
	*S
	Inputs() *I
	Create(ctx context.Context) (id string, err error)
	// Read updates the state and reports whether the cloud still has the resource. It leaves alone what the cloud does
	// not tell.
	Read(ctx context.Context, id string) (found bool, err error)
	Delete(ctx context.Context, id string) error
}

// Updater is a state whose resource can be changed in place.
type Updater[S any] interface {
	Update(ctx context.Context, id string, old S) error
}

// ErrNotHere refuses a change that the program never makes.
var ErrNotHere = errors.New("this change is not in the lab's stand-in for the plugin")

// Frame formats an error as the original does, before the operator sees it.
var Frame = func(err error) error { return err }

func framed(err error) error {
	if err == nil {
		return nil
	}
	return Frame(err)
}

// Resource serves a State over Pulumi's protocol.
type Resource[I, S any, P State[I, S]] struct{}

// Create makes the resource, except in a preview.
func (Resource[I, S, P]) Create(ctx context.Context, req infer.CreateRequest[I]) (infer.CreateResponse[S], error) {
	var state S
	*P(&state).Inputs() = req.Inputs
	if req.DryRun {
		return infer.CreateResponse[S]{Output: state}, nil
	}
	id, err := P(&state).Create(ctx)
	if err != nil && id != "" {
		err = infer.ResourceInitFailedError{Reasons: []string{framed(err).Error()}}
	} else {
		err = framed(err)
	}
	return infer.CreateResponse[S]{ID: id, Output: state}, err
}

// Read looks the resource up. A resource that is gone leaves the state. Without a state, Read is an import.
func (Resource[I, S, P]) Read(ctx context.Context, req infer.ReadRequest[I, S]) (infer.ReadResponse[I, S], error) {
	state := req.State
	found, err := P(&state).Read(ctx, req.ID)
	if err != nil || !found {
		return infer.ReadResponse[I, S]{}, framed(err)
	}
	return infer.ReadResponse[I, S]{ID: req.ID, State: state, Inputs: *P(&state).Inputs()}, nil
}

// Update changes the resource, except in a preview.
func (Resource[I, S, P]) Update(ctx context.Context, req infer.UpdateRequest[I, S]) (infer.UpdateResponse[S], error) {
	state := req.State
	*P(&state).Inputs() = req.Inputs
	if req.DryRun {
		return infer.UpdateResponse[S]{Output: state}, nil
	}
	updater, able := any(P(&state)).(Updater[S])
	if !able {
		return infer.UpdateResponse[S]{}, ErrNotHere
	}
	err := updater.Update(ctx, req.ID, req.State)
	return infer.UpdateResponse[S]{Output: state}, framed(err)
}

// Delete removes the resource.
func (Resource[I, S, P]) Delete(ctx context.Context, req infer.DeleteRequest[S]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, framed(P(&req.State).Delete(ctx, req.ID))
}

// Or returns the value, or the fallback if it is nil.
func Or[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}

// Serve runs a provider until the engine ends it. A changed setting replaces neither the provider nor its resources, as
// with a provider that is bridged from Terraform.
func Serve(name, version string, builder *infer.ProviderBuilder) {
	served, err := builder.Build()
	if inferred := served.DiffConfig; err == nil && inferred != nil {
		served.DiffConfig = func(ctx context.Context, req provider.DiffRequest) (provider.DiffResponse, error) {
			response, err := inferred(ctx, req)
			for name := range response.DetailedDiff {
				response.DetailedDiff[name] = provider.PropertyDiff{Kind: provider.Update, InputDiff: true}
			}
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
