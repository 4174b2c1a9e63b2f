package cloud

import (
	"context"
	"maps"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"pillar-host/lab/plugins/shared"
)

// SSHKey is a public key for new servers.
type SSHKey struct {
	shared.Resource[SSHKeyInputs, SSHKeyState, sshKey]
}

// SSHKeyInputs contains the inputs that a program sets.
type SSHKeyInputs struct {
	Labels    map[string]string `pulumi:"labels,optional"`
	Name      *string           `pulumi:"name,optional"`
	PublicKey string            `pulumi:"publicKey"`
}

// SSHKeyState contains the inputs and the fingerprint.
type SSHKeyState struct {
	SSHKeyInputs
	Fingerprint string `pulumi:"fingerprint"`
}

// WireDependencies keeps the fingerprint known in the preview of an update.
func (*SSHKey) WireDependencies(f infer.FieldSelector, inputs *SSHKeyInputs, state *SSHKeyState) {
	f.OutputField(&state.Fingerprint).DependsOn(f.InputField(&inputs.PublicKey).Computed())
}

type sshKey struct{}

func (sshKey) Token() (tokens.ModuleName, tokens.TypeName) { return "index/sshKey", "SshKey" }

func (sshKey) Plan(in SSHKeyInputs, old SSHKeyState) SSHKeyState {
	return SSHKeyState{in, old.Fingerprint}
}

// Diff ignores blanks and line ends around a key.
func (sshKey) Diff(d *shared.Diff, in SSHKeyInputs, state SSHKeyState) {
	d.Replace("publicKey", !sameKey(in.PublicKey, state.PublicKey))
	d.Name(state.Name, in.Name)
	d.Update("labels", !maps.Equal(in.Labels, state.Labels))
}

func sameKey(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

func (sshKey) Create(ctx context.Context, in SSHKeyInputs, state *SSHKeyState) (string, error) {
	client, err := clientOf(ctx)
	if err != nil {
		return "", err
	}
	options := hcloud.SSHKeyCreateOpts{Name: shared.Or(in.Name, ""), PublicKey: in.PublicKey, Labels: in.Labels}
	key, _, err := client.SSHKey.Create(ctx, options)
	if err != nil {
		return "", failure(err)
	}
	state.observe(key)
	return textOf(key.ID), nil
}

func (s *SSHKeyState) observe(key *hcloud.SSHKey) {
	s.Name, s.Labels, s.Fingerprint = &key.Name, key.Labels, key.Fingerprint
	if !sameKey(s.PublicKey, key.PublicKey) {
		s.PublicKey = key.PublicKey
	}
}

func (sshKey) Read(ctx context.Context, id string, state *SSHKeyState) (bool, error) {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return false, err
	}
	key, _, err := client.SSHKey.GetByID(ctx, number)
	if err != nil || key == nil {
		return false, failure(err)
	}
	state.observe(key)
	return true, nil
}

func (sshKey) ReadInputs(in SSHKeyInputs, state SSHKeyState, _ bool) SSHKeyInputs {
	inputs := state.SSHKeyInputs
	inputs.Labels = asInput(in.Labels, state.Labels)
	return inputs
}

func (sshKey) Update(ctx context.Context, id string, in SSHKeyInputs, _ SSHKeyState, state *SSHKeyState) error {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return err
	}
	options := hcloud.SSHKeyUpdateOpts{Name: shared.Or(in.Name, ""), Labels: asUpdate(in.Labels)}
	key, _, err := client.SSHKey.Update(ctx, &hcloud.SSHKey{ID: number}, options)
	if err == nil {
		state.observe(key)
	}
	return failure(err)
}

// Delete removes the key from the project. Existing servers keep it.
func (sshKey) Delete(ctx context.Context, id string, _ SSHKeyState) error {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return err
	}
	if _, err = client.SSHKey.Delete(ctx, &hcloud.SSHKey{ID: number}); isGone(err) {
		return nil
	}
	return failure(err)
}
