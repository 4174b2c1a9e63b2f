package cloud

import (
	"context"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Tag is a tag of the account; a Droplet's tags come into being by themselves, and stay when it goes.
type Tag struct{}

// TagArgs are what a program sets.
type TagArgs struct {
	Name *string `pulumi:"name,optional"`
}

// TagState is what is known of a tag.
type TagState struct {
	TagArgs
	DatabasesCount       int `pulumi:"databasesCount"`
	DropletsCount        int `pulumi:"dropletsCount"`
	ImagesCount          int `pulumi:"imagesCount"`
	TotalResourceCount   int `pulumi:"totalResourceCount"`
	VolumeSnapshotsCount int `pulumi:"volumeSnapshotsCount"`
	VolumesCount         int `pulumi:"volumesCount"`
}

// Annotate gives the official token.
func (t *Tag) Annotate(a infer.Annotator) { a.SetToken("index/tag", "Tag") }

// Check makes up a name where there is none.
func (*Tag) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[TagArgs], error) {
	inputs, failures, err := infer.DefaultCheck[TagArgs](ctx, named(req.Name, req.OldInputs, req.NewInputs))
	return infer.CheckResponse[TagArgs]{Inputs: inputs, Failures: failures}, err
}

// Diff replaces for another name.
func (*Tag) Diff(_ context.Context, req infer.DiffRequest[TagArgs, TagState]) (infer.DiffResponse, error) {
	d := diff{}
	d.replace("name", differ(req.State.Name, req.Inputs.Name))
	return d.response(req.State.Name, req.Inputs.Name), nil
}

// Create makes the tag, or takes over the one that is there.
func (*Tag) Create(
	ctx context.Context, req infer.CreateRequest[TagArgs],
) (infer.CreateResponse[TagState], error) {
	response := infer.CreateResponse[TagState]{Output: TagState{TagArgs: req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	request := &godo.TagCreateRequest{Name: valueOr(req.Inputs.Name, "")}
	tag, _, err := api(ctx).Tags.Create(context.Background(), request)
	if err != nil {
		return response, failed("Error creating tag", err)
	}
	response.ID, response.Output = tag.Name, tagState(tag)
	return response, nil
}

// Read looks the tag up.
func (*Tag) Read(
	ctx context.Context, req infer.ReadRequest[TagArgs, TagState],
) (infer.ReadResponse[TagArgs, TagState], error) {
	response := infer.ReadResponse[TagArgs, TagState]{}
	tag, answer, err := api(ctx).Tags.Get(context.Background(), req.ID)
	if isGone(answer) {
		return response, nil
	}
	if err != nil {
		return response, failed("Error retrieving tag", err)
	}
	response.ID, response.State = req.ID, tagState(tag)
	response.Inputs = response.State.TagArgs
	return response, nil
}

// Delete removes the tag from all that bears it.
func (*Tag) Delete(ctx context.Context, req infer.DeleteRequest[TagState]) (infer.DeleteResponse, error) {
	if _, err := api(ctx).Tags.Delete(context.Background(), req.ID); err != nil {
		return infer.DeleteResponse{}, failed("Error deleting tag", err)
	}
	return infer.DeleteResponse{}, nil
}

func tagState(tag *godo.Tag) TagState {
	state := TagState{TagArgs: TagArgs{Name: &tag.Name}}
	if all := tag.Resources; all != nil {
		state.TotalResourceCount = all.Count
		if all.Droplets != nil {
			state.DropletsCount = all.Droplets.Count
		}
	}
	return state
}
