package cloud

import (
	"context"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// SSHKey is a key of the account; the API takes each only once.
type SSHKey struct{}

// SSHKeyArgs are what a program sets.
type SSHKeyArgs struct {
	Name      *string `pulumi:"name,optional"`
	PublicKey string  `pulumi:"publicKey"`
}

// SSHKeyState is what is known of a key.
type SSHKeyState struct {
	SSHKeyArgs
	Fingerprint string `pulumi:"fingerprint"`
}

// Annotate gives the official token.
func (k *SSHKey) Annotate(a infer.Annotator) { a.SetToken("index/sshKey", "SshKey") }

// Check makes up a name where there is none.
func (*SSHKey) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[SSHKeyArgs], error) {
	inputs, failures, err := infer.DefaultCheck[SSHKeyArgs](ctx, named(req.Name, req.OldInputs, req.NewInputs))
	return infer.CheckResponse[SSHKeyArgs]{Inputs: inputs, Failures: failures}, err
}

// Diff takes no notice of space around a key.
func (*SSHKey) Diff(_ context.Context, req infer.DiffRequest[SSHKeyArgs, SSHKeyState]) (infer.DiffResponse, error) {
	d := diff{}
	d.replace("publicKey", strings.TrimSpace(req.State.PublicKey) != strings.TrimSpace(req.Inputs.PublicKey))
	d.update("name", differ(req.State.Name, req.Inputs.Name))
	return d.response(req.State.Name, req.Inputs.Name), nil
}

// Create adds the key to the account.
func (*SSHKey) Create(
	ctx context.Context, req infer.CreateRequest[SSHKeyArgs],
) (infer.CreateResponse[SSHKeyState], error) {
	response := infer.CreateResponse[SSHKeyState]{Output: SSHKeyState{SSHKeyArgs: req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	request := &godo.KeyCreateRequest{Name: valueOr(req.Inputs.Name, ""), PublicKey: req.Inputs.PublicKey}
	key, _, err := api(ctx).Keys.Create(context.Background(), request)
	if err != nil {
		return response, failed("Error creating SSH Key", err)
	}
	response.ID, response.Output = strconv.Itoa(key.ID), keyState(key)
	return response, nil
}

// Read looks the key up.
func (*SSHKey) Read(
	ctx context.Context, req infer.ReadRequest[SSHKeyArgs, SSHKeyState],
) (infer.ReadResponse[SSHKeyArgs, SSHKeyState], error) {
	response := infer.ReadResponse[SSHKeyArgs, SSHKeyState]{}
	id, err := strconv.Atoi(req.ID)
	if err != nil {
		return response, failed("invalid SSH key id", err)
	}
	key, answer, err := api(ctx).Keys.GetByID(context.Background(), id)
	if isGone(answer) {
		return response, nil
	}
	if err != nil {
		return response, failed("Error retrieving SSH key", err)
	}
	response.ID, response.Inputs, response.State = req.ID, req.Inputs, keyState(key)
	if req.Inputs.PublicKey == "" {
		response.Inputs = response.State.SSHKeyArgs
	}
	return response, nil
}

// Update renames the key.
func (*SSHKey) Update(
	ctx context.Context, req infer.UpdateRequest[SSHKeyArgs, SSHKeyState],
) (infer.UpdateResponse[SSHKeyState], error) {
	state := SSHKeyState{SSHKeyArgs: req.Inputs, Fingerprint: req.State.Fingerprint}
	response := infer.UpdateResponse[SSHKeyState]{Output: state}
	if req.DryRun {
		return response, nil
	}
	id, err := strconv.Atoi(req.ID)
	if err != nil {
		return response, failed("invalid SSH key id", err)
	}
	request := &godo.KeyUpdateRequest{Name: valueOr(req.Inputs.Name, "")}
	key, _, err := api(ctx).Keys.UpdateByID(context.Background(), id, request)
	if err != nil {
		return response, failed("Failed to update SSH key", err)
	}
	response.Output = keyState(key)
	return response, nil
}

// Delete removes the key; one that has vanished is an error.
func (*SSHKey) Delete(ctx context.Context, req infer.DeleteRequest[SSHKeyState]) (infer.DeleteResponse, error) {
	id, err := strconv.Atoi(req.ID)
	if err != nil {
		return infer.DeleteResponse{}, failed("invalid SSH key id", err)
	}
	if _, err := api(ctx).Keys.DeleteByID(context.Background(), id); err != nil {
		return infer.DeleteResponse{}, failed("Error deleting SSH key", err)
	}
	return infer.DeleteResponse{}, nil
}

func keyState(key *godo.Key) SSHKeyState {
	return SSHKeyState{SSHKeyArgs{Name: &key.Name, PublicKey: key.PublicKey}, key.Fingerprint}
}
