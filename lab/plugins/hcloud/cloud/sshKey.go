package cloud

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
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

// SSHKeyState contains the inputs with the cloud's values.
type SSHKeyState struct{ SSHKeyInputs }

type sshKey struct{}

func (sshKey) Token() (tokens.ModuleName, tokens.TypeName) { return "index/sshKey", "SshKey" }

func (sshKey) Plan(in SSHKeyInputs, _ SSHKeyState) SSHKeyState { return SSHKeyState{in} }

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
	s.Name, s.Labels = &key.Name, key.Labels
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

func (sshKey) ReadInputs(_ SSHKeyInputs, state SSHKeyState, _ bool) SSHKeyInputs {
	return state.SSHKeyInputs
}

func (sshKey) Update(context.Context, string, SSHKeyInputs, SSHKeyState, *SSHKeyState) error {
	return errors.New("a changed key is not in the lab's stand-in for this plugin")
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
