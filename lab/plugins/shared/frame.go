// Package shared contains what the stand-ins have in common: one frame for all resources of the two clouds, the
// differences between a state and new inputs, and the behavior of a provider that is bridged from Terraform.
package shared

import (
	"context"
	"reflect"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// Kind manages one kind of resource at a cloud. A function that returns an id together with an error leaves a resource
// that the state keeps as partially created.
type Kind[I, S any] interface {
	// Token is the resource's module and type.
	Token() (tokens.ModuleName, tokens.TypeName)
	// Plan returns the expected state for new inputs, without asking the cloud.
	Plan(in I, old S) S
	// Diff collects the differences between the state and new inputs.
	Diff(d *Diff, in I, state S)
	Create(ctx context.Context, in I, state *S) (id string, err error)
	// Read updates the state and reports whether the cloud still has the resource.
	Read(ctx context.Context, id string, state *S) (found bool, err error)
	// ReadInputs returns the inputs after a refresh or an import.
	ReadInputs(in I, state S, imported bool) I
	Update(ctx context.Context, id string, in I, old S, state *S) error
	Delete(ctx context.Context, id string, state S) error
}

// Resource serves a Kind over Pulumi's protocol.
type Resource[I, S any, K Kind[I, S]] struct{ kind K }

// Annotate gives the type its original name.
func (r *Resource[I, S, K]) Annotate(a infer.Annotator) { a.SetToken(r.kind.Token()) }

// Check generates a name for a resource without one.
func (r *Resource[I, S, K]) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[I], error) {
	news, err := withName(req.OldInputs, req.NewInputs, req.Name)
	if err != nil {
		return infer.CheckResponse[I]{}, err
	}
	inputs, failures, err := infer.DefaultCheck[I](ctx, news)
	return infer.CheckResponse[I]{Inputs: inputs, Failures: failures}, err
}

// Diff decides what changes in place and what needs a replacement.
func (r *Resource[I, S, K]) Diff(_ context.Context, req infer.DiffRequest[I, S]) (infer.DiffResponse, error) {
	d := Diff{changes: map[string]provider.PropertyDiff{}}
	r.kind.Diff(&d, req.Inputs, req.State)
	return d.response(), nil
}

// Create makes the resource, except in a preview.
func (r *Resource[I, S, K]) Create(ctx context.Context, req infer.CreateRequest[I]) (infer.CreateResponse[S], error) {
	var none S
	response := infer.CreateResponse[S]{Output: r.kind.Plan(req.Inputs, none)}
	if req.DryRun {
		return response, nil
	}
	var err error
	response.ID, err = r.kind.Create(ctx, req.Inputs, &response.Output)
	if err != nil && response.ID != "" {
		err = infer.ResourceInitFailedError{Reasons: []string{err.Error()}}
	}
	return response, err
}

// Read looks the resource up. A resource that is gone leaves the state. Without a state, Read is an import.
func (r *Resource[I, S, K]) Read(
	ctx context.Context, req infer.ReadRequest[I, S],
) (infer.ReadResponse[I, S], error) {
	var none S
	response := infer.ReadResponse[I, S]{State: req.State}
	found, err := r.kind.Read(ctx, req.ID, &response.State)
	if err != nil || !found {
		return infer.ReadResponse[I, S]{}, err
	}
	response.ID = req.ID
	response.Inputs = r.kind.ReadInputs(req.Inputs, response.State, reflect.DeepEqual(req.State, none))
	return response, nil
}

// Update changes the resource, except in a preview.
func (r *Resource[I, S, K]) Update(
	ctx context.Context, req infer.UpdateRequest[I, S],
) (infer.UpdateResponse[S], error) {
	response := infer.UpdateResponse[S]{Output: r.kind.Plan(req.Inputs, req.State)}
	if req.DryRun {
		return response, nil
	}
	return response, r.kind.Update(ctx, req.ID, req.Inputs, req.State, &response.Output)
}

func (r *Resource[I, S, K]) Delete(ctx context.Context, req infer.DeleteRequest[S]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, r.kind.Delete(ctx, req.ID, req.State)
}
