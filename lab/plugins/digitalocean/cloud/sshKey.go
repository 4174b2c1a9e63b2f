package cloud

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"pillar-host/lab/plugins/shared"
)

// SSHKey is a key of the account. The API accepts each key only once.
type SSHKey struct {
	shared.Resource[SSHKeyArgs, SSHKeyState, sshKey]
}

// SSHKeyArgs contains the inputs that a program sets.
type SSHKeyArgs struct {
	Name      *string `pulumi:"name,optional"`
	PublicKey string  `pulumi:"publicKey"`
}

// SSHKeyState contains the inputs with the cloud's values.
type SSHKeyState struct{ SSHKeyArgs }

type sshKey struct{}

func (sshKey) Token() (tokens.ModuleName, tokens.TypeName) { return "index/sshKey", "SshKey" }

func (sshKey) Plan(in SSHKeyArgs, _ SSHKeyState) SSHKeyState { return SSHKeyState{in} }

// Diff ignores blanks and line ends around a key.
func (sshKey) Diff(d *shared.Diff, in SSHKeyArgs, state SSHKeyState) {
	d.Replace("publicKey", strings.TrimSpace(state.PublicKey) != strings.TrimSpace(in.PublicKey))
	d.Name(state.Name, in.Name)
}

func (sshKey) Create(ctx context.Context, in SSHKeyArgs, state *SSHKeyState) (string, error) {
	request := &godo.KeyCreateRequest{Name: shared.Or(in.Name, ""), PublicKey: in.PublicKey}
	key, _, err := api(ctx).Keys.Create(context.Background(), request)
	if err != nil {
		return "", failed("Error creating SSH Key", err)
	}
	*state = keyState(key)
	return strconv.Itoa(key.ID), nil
}

func keyState(key *godo.Key) SSHKeyState {
	return SSHKeyState{SSHKeyArgs{Name: &key.Name, PublicKey: key.PublicKey}}
}

func (sshKey) Read(ctx context.Context, id string, state *SSHKeyState) (bool, error) {
	number, err := strconv.Atoi(id)
	if err != nil {
		return false, failed("invalid SSH key id", err)
	}
	key, answer, err := api(ctx).Keys.GetByID(context.Background(), number)
	if err != nil {
		return false, unlessGone(answer, "Error retrieving SSH key", err)
	}
	*state = keyState(key)
	return true, nil
}

func (sshKey) ReadInputs(in SSHKeyArgs, state SSHKeyState, imported bool) SSHKeyArgs {
	if imported {
		return state.SSHKeyArgs
	}
	return in
}

func (sshKey) Update(context.Context, string, SSHKeyArgs, SSHKeyState, *SSHKeyState) error {
	return errors.New("a changed name is not in the lab's stand-in for this plugin")
}

// Delete removes the key. A key that is already gone is an error.
func (sshKey) Delete(ctx context.Context, id string, _ SSHKeyState) error {
	number, err := strconv.Atoi(id)
	if err == nil {
		_, err = api(ctx).Keys.DeleteByID(context.Background(), number)
	}
	return failed("Error deleting SSH key", err)
}
