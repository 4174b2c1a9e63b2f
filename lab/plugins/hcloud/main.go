// This is a stand-in for pulumi-resource-hcloud 1.41.0, for lab machines that cannot download the official plugin. It
// serves the resource types and fields that the program uses over the same protocol, and calls the same HTTP API through
// the same client library.
//
// It copies the following behavior, with tests in test/lab/plugins/hcloud.long.test.ts and test/lab/clouds:
//
//   - The token is secret and has exactly 64 characters. A changed one replaces nothing.
//   - A server's image, location, userData and sshKeys, and a key's publicKey, replace.
//   - It waits for every action. If a create fails after the server exists, the state keeps the server as partially
//     created. The next update does not repeat the missed protection.
//   - Read: import by id, refresh. A vanished resource leaves the state.
//   - Delete fails if the server is protected or already gone.
//
// It lacks every other resource and field, backups, and changes of a server's type, name, labels and firewalls.
package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/shared"
)

const (
	version     = "1.41.0"
	tokenLength = 64
)

func main() {
	shared.Frame = func(err error) error {
		return fmt.Errorf("sdk-v2/provider2.go:572: sdk.helper_schema: %w: provider=hcloud@%s", err, version)
	}
	shared.Serve("hcloud", version, infer.NewProviderBuilder().
		WithConfig(infer.Config(&Config{})).
		WithResources(infer.Resource(&Server{}), infer.Resource(&SSHKey{}), infer.Resource(&Firewall{})))
}

type Config struct {
	Token    *string `pulumi:"token,optional" provider:"secret"`
	Endpoint *string `pulumi:"endpoint,optional"`

	client *hcloud.Client
}

// Configure creates the client. A missing token may be unknown in a preview, so only its use fails.
func (c *Config) Configure(context.Context) error {
	token := shared.Or(c.Token, "")
	if token != "" && len(token) != tokenLength {
		return fmt.Errorf("entered token is invalid (must be exactly %d characters long)", tokenLength)
	}
	c.client = hcloud.NewClient(
		hcloud.WithToken(token),
		hcloud.WithEndpoint(shared.Or(c.Endpoint, hcloud.Endpoint)),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: hcloud.ConstantBackoff(100 * time.Millisecond)}),
	)
	return nil
}

func api(ctx context.Context) *hcloud.Client { return infer.GetConfig[*Config](ctx).client }

func number(id string) int64 {
	parsed, _ := strconv.ParseInt(id, 10, 64)
	return parsed
}

func unlessGone(err error) error {
	if hcloud.IsError(err, hcloud.ErrorCodeNotFound) {
		return nil
	}
	return err
}

// SSHKey is a public key for new servers.
type SSHKey struct {
	shared.Resource[SSHKeyState, SSHKeyState, *SSHKeyState]
}

func (*SSHKey) Annotate(a infer.Annotator) { a.SetToken("index/sshKey", "SshKey") }

type SSHKeyState struct {
	Labels    map[string]string `pulumi:"labels,optional"`
	Name      string            `pulumi:"name"`
	PublicKey string            `pulumi:"publicKey" provider:"replaceOnChanges"`
}

func (k *SSHKeyState) Inputs() *SSHKeyState { return k }

func (k *SSHKeyState) Create(ctx context.Context) (string, error) {
	options := hcloud.SSHKeyCreateOpts{Name: k.Name, PublicKey: k.PublicKey, Labels: k.Labels}
	made, _, err := api(ctx).SSHKey.Create(ctx, options)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(made.ID, 10), nil
}

func (k *SSHKeyState) Read(ctx context.Context, id string) (bool, error) {
	found, _, err := api(ctx).SSHKey.GetByID(ctx, number(id))
	if err != nil || found == nil {
		return false, err
	}
	k.Name, k.Labels, k.PublicKey = found.Name, found.Labels, found.PublicKey
	return true, nil
}

// Delete removes the key from the project. Existing servers keep it.
func (*SSHKeyState) Delete(ctx context.Context, id string) error {
	_, err := api(ctx).SSHKey.Delete(ctx, &hcloud.SSHKey{ID: number(id)})
	return unlessGone(err)
}
