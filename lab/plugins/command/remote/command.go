package remote

import (
	"context"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

type Command struct{}

// CommandInputs contains the inputs that a program sets.
type CommandInputs struct {
	Triggers               *[]any      `pulumi:"triggers,optional" provider:"replaceOnChanges"`
	Create                 *string     `pulumi:"create,optional"`
	Stdin                  *string     `pulumi:"stdin,optional"`
	Logging                *string     `pulumi:"logging,optional"`
	Connection             *Connection `pulumi:"connection" provider:"secret"`
	AddPreviousOutputInEnv *bool       `pulumi:"addPreviousOutputInEnv,optional"`
}

// CommandOutputs contains the inputs and the output of the last run. It has no WireDependencies, so infer makes an
// output secret only if the input of the same name is secret, as in the original.
type CommandOutputs struct {
	CommandInputs
	Stdout string `pulumi:"stdout"`
	Stderr string `pulumi:"stderr"`
}

// Create runs `create` if it is set.
func (*Command) Create(
	ctx context.Context, req infer.CreateRequest[CommandInputs],
) (infer.CreateResponse[CommandOutputs], error) {
	state := CommandOutputs{CommandInputs: req.Inputs}
	id, err := resource.NewUniqueHex(req.Name, 8, 0)
	if err == nil && !req.DryRun {
		err = state.run(ctx, req.Inputs.Create)
	}
	return infer.CreateResponse[CommandOutputs]{ID: id, Output: state}, err
}

// Update runs `create` again.
func (*Command) Update(
	ctx context.Context, req infer.UpdateRequest[CommandInputs, CommandOutputs],
) (infer.UpdateResponse[CommandOutputs], error) {
	state := CommandOutputs{CommandInputs: req.Inputs, Stdout: req.State.Stdout, Stderr: req.State.Stderr}
	var err error
	if !req.DryRun {
		err = state.run(ctx, req.Inputs.Create)
	}
	return infer.UpdateResponse[CommandOutputs]{Output: state}, err
}
