package remote

import (
	"context"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/infer/types"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// CopyToRemote copies a file, a directory or a text to a remote host. Deleting it leaves the copy there.
type CopyToRemote struct{}

// CopyInputs are what a program sets.
type CopyInputs struct {
	Connection *Connection          `pulumi:"connection" provider:"secret"`
	Triggers   *[]any               `pulumi:"triggers,optional" provider:"replaceOnChanges"`
	Source     types.AssetOrArchive `pulumi:"source"`
	RemotePath string               `pulumi:"remotePath"`
}

// CopyOutputs are the inputs, as they were when copied.
type CopyOutputs struct{ CopyInputs }

// Check refuses what cannot be copied before anything is touched.
func (*CopyToRemote) Check(
	ctx context.Context, req infer.CheckRequest,
) (infer.CheckResponse[CopyInputs], error) {
	inputs, failures, err := infer.DefaultCheck[CopyInputs](ctx, req.NewInputs)
	if err == nil && len(failures) == 0 {
		if property, reason := inputs.fault(); reason != "" {
			failures = append(failures, provider.CheckFailure{Property: property, Reason: reason})
		}
	}
	return infer.CheckResponse[CopyInputs]{Inputs: inputs, Failures: failures}, err
}

// Create copies.
func (*CopyToRemote) Create(
	ctx context.Context, req infer.CreateRequest[CopyInputs],
) (infer.CreateResponse[CopyOutputs], error) {
	response := infer.CreateResponse[CopyOutputs]{Output: CopyOutputs{req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	if err := req.Inputs.copy(ctx); err != nil {
		return response, err
	}
	var err error
	response.ID, err = resource.NewUniqueHex("", 8, 0)
	return response, err
}

// Update copies again when the content or its place changed; a changed connection alone copies nothing.
func (*CopyToRemote) Update(
	ctx context.Context, req infer.UpdateRequest[CopyInputs, CopyOutputs],
) (infer.UpdateResponse[CopyOutputs], error) {
	var err error
	changed := req.Inputs.hash() != req.State.hash() || req.Inputs.RemotePath != req.State.RemotePath
	if changed && !req.DryRun {
		err = req.Inputs.copy(ctx)
	}
	return infer.UpdateResponse[CopyOutputs]{Output: CopyOutputs{req.Inputs}}, err
}

func (c *CopyInputs) fault() (property, reason string) {
	asset, archive := c.Source.Asset, c.Source.Archive
	switch {
	case asset != nil && archive != nil:
		return "asset", "only one of asset or archive can be set"
	case asset == nil && archive == nil:
		return "asset", "either asset or archive must be set"
	case asset != nil && !asset.IsPath() && !asset.IsText():
		return "asset", "asset must be a path-based file asset or a text asset"
	case archive != nil && !archive.IsPath():
		return "archive", "archive must be a path to a file or directory"
	}
	return "", ""
}

func (c *CopyInputs) hash() string {
	if c.Source.Archive != nil {
		return c.Source.Archive.Hash
	}
	return c.Source.Asset.Hash
}
