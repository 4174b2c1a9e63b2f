package cloud

import (
	"context"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"pillar-host/lab/plugins/shared"
)

// Tag is a tag of the account. A Droplet's tags are created with it and stay when it is deleted.
type Tag struct {
	shared.Resource[TagArgs, TagState, tag]
}

// TagArgs contains the inputs that a program sets.
type TagArgs struct {
	Name *string `pulumi:"name,optional"`
}

// TagState contains the inputs with the cloud's spelling.
type TagState struct{ TagArgs }

type tag struct{}

func (tag) Token() (tokens.ModuleName, tokens.TypeName) { return "index/tag", "Tag" }

func (tag) Plan(in TagArgs, _ TagState) TagState { return TagState{in} }

func (tag) Diff(d *shared.Diff, in TagArgs, state TagState) {
	d.Replace("name", shared.Differ(state.Name, in.Name))
}

// Create makes the tag, or takes over an existing tag of the same name.
func (tag) Create(ctx context.Context, in TagArgs, state *TagState) (string, error) {
	made, _, err := api(ctx).Tags.Create(context.Background(), &godo.TagCreateRequest{Name: shared.Or(in.Name, "")})
	if err != nil {
		return "", failed("Error creating tag", err)
	}
	state.Name = &made.Name
	return made.Name, nil
}

func (tag) Read(ctx context.Context, id string, state *TagState) (bool, error) {
	found, answer, err := api(ctx).Tags.Get(context.Background(), id)
	if err != nil {
		return false, unlessGone(answer, "Error retrieving tag", err)
	}
	state.Name = &found.Name
	return true, nil
}

func (tag) ReadInputs(_ TagArgs, state TagState, _ bool) TagArgs { return state.TagArgs }

func (tag) Update(context.Context, string, TagArgs, TagState, *TagState) error { return nil }

// Delete removes the tag from the account and from all resources that have it.
func (tag) Delete(ctx context.Context, id string, _ TagState) error {
	_, err := api(ctx).Tags.Delete(context.Background(), id)
	return failed("Error deleting tag", err)
}
