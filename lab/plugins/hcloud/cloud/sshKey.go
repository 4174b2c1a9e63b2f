package cloud

import (
	"context"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// SSHKey is a public key that servers can be created with.
type SSHKey struct{}

// Annotate names the type as the original does.
func (k *SSHKey) Annotate(a infer.Annotator) { a.SetToken("index/sshKey", "SshKey") }

// SSHKeyInputs are what a program sets.
type SSHKeyInputs struct {
	Labels    map[string]string `pulumi:"labels,optional"`
	Name      *string           `pulumi:"name,optional"`
	PublicKey string            `pulumi:"publicKey"`
}

// SSHKeyState is the inputs and the fingerprint.
type SSHKeyState struct {
	SSHKeyInputs
	Fingerprint string `pulumi:"fingerprint"`
}

// WireDependencies keeps the fingerprint known in the preview of an update.
func (*SSHKey) WireDependencies(f infer.FieldSelector, inputs *SSHKeyInputs, state *SSHKeyState) {
	f.OutputField(&state.Fingerprint).DependsOn(f.InputField(&inputs.PublicKey).Computed())
}

// Check gives a key without a name one.
func (*SSHKey) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[SSHKeyInputs], error) {
	news, err := withName(req.OldInputs, req.NewInputs, req.Name)
	if err != nil {
		return infer.CheckResponse[SSHKeyInputs]{}, err
	}
	inputs, failures, err := infer.DefaultCheck[SSHKeyInputs](ctx, news)
	return infer.CheckResponse[SSHKeyInputs]{Inputs: inputs, Failures: failures}, err
}

// Diff takes a line feed at the end of a key for nothing.
func (*SSHKey) Diff(
	_ context.Context, req infer.DiffRequest[SSHKeyInputs, SSHKeyState],
) (provider.DiffResponse, error) {
	found := diffs{}
	found.replace("publicKey", trimmed(req.Inputs.PublicKey) != trimmed(req.State.PublicKey))
	found.update("name", req.Inputs.Name != nil && *req.Inputs.Name != valueOr(req.State.Name, ""))
	found.update("labels", !sameLabels(req.Inputs.Labels, req.State.Labels))
	return found.response(req.Inputs.Name), nil
}

// Create registers the key.
func (*SSHKey) Create(
	ctx context.Context, req infer.CreateRequest[SSHKeyInputs],
) (infer.CreateResponse[SSHKeyState], error) {
	response := infer.CreateResponse[SSHKeyState]{Output: SSHKeyState{SSHKeyInputs: req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	client, err := clientOf()
	if err != nil {
		return response, err
	}
	key, _, err := client.SSHKey.Create(ctx, hcloud.SSHKeyCreateOpts{
		Name: valueOr(req.Inputs.Name, ""), PublicKey: req.Inputs.PublicKey, Labels: req.Inputs.Labels,
	})
	if err != nil {
		return response, failure(err)
	}
	response.ID = strconv.FormatInt(key.ID, 10)
	response.Output.observe(key)
	return response, nil
}

func (s *SSHKeyState) observe(key *hcloud.SSHKey) {
	s.Name, s.Labels, s.Fingerprint = &key.Name, key.Labels, key.Fingerprint
	if trimmed(s.PublicKey) != trimmed(key.PublicKey) {
		s.PublicKey = key.PublicKey
	}
}

// Read looks at the key. One that is gone leaves the state.
func (*SSHKey) Read(
	ctx context.Context, req infer.ReadRequest[SSHKeyInputs, SSHKeyState],
) (infer.ReadResponse[SSHKeyInputs, SSHKeyState], error) {
	var response infer.ReadResponse[SSHKeyInputs, SSHKeyState]
	client, id, err := targetOf(req.ID)
	if err != nil {
		return response, err
	}
	key, _, err := client.SSHKey.GetByID(ctx, id)
	if err != nil || key == nil {
		return response, failure(err)
	}
	response.ID, response.State = req.ID, req.State
	response.State.observe(key)
	response.Inputs = response.State.SSHKeyInputs
	if req.Inputs.Labels == nil && len(key.Labels) == 0 {
		response.Inputs.Labels = nil
	}
	return response, nil
}

// Update changes name and labels.
func (*SSHKey) Update(
	ctx context.Context, req infer.UpdateRequest[SSHKeyInputs, SSHKeyState],
) (infer.UpdateResponse[SSHKeyState], error) {
	state := SSHKeyState{SSHKeyInputs: req.Inputs, Fingerprint: req.State.Fingerprint}
	response := infer.UpdateResponse[SSHKeyState]{Output: state}
	if req.DryRun {
		return response, nil
	}
	client, id, err := targetOf(req.ID)
	if err != nil {
		return response, err
	}
	options := hcloud.SSHKeyUpdateOpts{Name: valueOr(req.Inputs.Name, ""), Labels: req.Inputs.Labels}
	if options.Labels == nil {
		options.Labels = map[string]string{}
	}
	key, _, err := client.SSHKey.Update(ctx, &hcloud.SSHKey{ID: id}, options)
	if err == nil {
		response.Output.observe(key)
	}
	return response, failure(err)
}

// Delete removes the key from the project; servers keep it.
func (*SSHKey) Delete(ctx context.Context, req infer.DeleteRequest[SSHKeyState]) (infer.DeleteResponse, error) {
	client, id, err := targetOf(req.ID)
	if err != nil {
		return infer.DeleteResponse{}, err
	}
	_, err = client.SSHKey.Delete(ctx, &hcloud.SSHKey{ID: id})
	if isGone(err) {
		err = nil
	}
	return infer.DeleteResponse{}, failure(err)
}
