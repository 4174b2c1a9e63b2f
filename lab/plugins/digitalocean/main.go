// This is a stand-in for pulumi-resource-digitalocean 4.80.1, for lab machines that cannot download the official
// plugin. It serves the resource types and fields that the program uses over the same protocol, and calls the API
// through godo, the official plugin's client.
//
// It copies the following behavior, with tests in test/lab/plugins/digitalocean.long.test.ts and test/lab/clouds:
//
//   - The provider: token, apiEndpoint without /v2, five attempts. A changed token replaces nothing.
//   - Droplet, SshKey, Firewall, Tag: create, read, delete, import by id; an update of firewalls. A vanished resource
//     leaves the state on refresh.
//   - A Droplet's image, region, sshKeys and userData, an SshKey's publicKey and a Tag's name replace.
//   - A Droplet that fails after its create was accepted is in the state as not initialized. customTimeouts apply.
//   - The traps: The plugin does not mark the token as secret (the SDK does). sshKeys and userData are never read back,
//     so a program that sets them replaces an imported Droplet. A create waits until the Droplet is active and has a
//     public address, a delete until it is unlocked, at most a while. If a create's answer is lost, the retry makes a
//     second Droplet. A vanished SshKey cannot be deleted.
//
// It lacks every other resource and field, backups, changes of a Droplet, and the official plugin's long waits.
package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
	"golang.org/x/oauth2"

	"pillar-host/lab/plugins/shared"
)

func main() {
	shared.Frame = func(err error) error { return fmt.Errorf("1 error occurred:\n\t* %w\n\n", err) }
	shared.Serve("digitalocean", "4.80.1", infer.NewProviderBuilder().
		WithConfig(infer.Config(&Config{})).
		WithResources(
			infer.Resource(&Droplet{}),
			infer.Resource(&SSHKey{}),
			infer.Resource(&Firewall{}),
			infer.Resource(&Tag{}),
		))
}

// Config is the provider's configuration. No field is marked as secret.
type Config struct {
	Token       *string `pulumi:"token,optional"`
	APIEndpoint *string `pulumi:"apiEndpoint,optional"`

	client *godo.Client
}

// Configure creates the client without a request to the API. A wrong token fails at the first request.
func (c *Config) Configure(context.Context) error {
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: shared.Or(c.Token, "")})
	wait, most := 0.01, 0.3
	var err error
	c.client, err = godo.New(
		oauth2.NewClient(context.Background(), source),
		godo.SetBaseURL(shared.Or(c.APIEndpoint, "https://api.digitalocean.com")),
		godo.WithRetryAndBackoffs(godo.RetryConfig{RetryMax: 4, RetryWaitMin: &wait, RetryWaitMax: &most}),
	)
	return err
}

func api(ctx context.Context) *godo.Client { return infer.GetConfig[*Config](ctx).client }

func number(id string) int {
	parsed, _ := strconv.Atoi(id)
	return parsed
}

func unlessGone(response *godo.Response, err error) error {
	if response != nil && response.StatusCode == http.StatusNotFound {
		return nil
	}
	return err
}

// SSHKey is a key of the account. The API accepts each key only once.
type SSHKey struct {
	shared.Resource[SSHKeyState, SSHKeyState, *SSHKeyState]
}

func (*SSHKey) Annotate(a infer.Annotator) { a.SetToken("index/sshKey", "SshKey") }

type SSHKeyState struct {
	Name      string `pulumi:"name"`
	PublicKey string `pulumi:"publicKey" provider:"replaceOnChanges"`
}

func (k *SSHKeyState) Inputs() *SSHKeyState { return k }

func (k *SSHKeyState) Create(ctx context.Context) (string, error) {
	made, _, err := api(ctx).Keys.Create(ctx, &godo.KeyCreateRequest{Name: k.Name, PublicKey: k.PublicKey})
	if err != nil {
		return "", err
	}
	return strconv.Itoa(made.ID), nil
}

func (k *SSHKeyState) Read(ctx context.Context, id string) (bool, error) {
	found, answer, err := api(ctx).Keys.GetByID(ctx, number(id))
	if err != nil {
		return false, unlessGone(answer, err)
	}
	k.Name, k.PublicKey = found.Name, found.PublicKey
	return true, nil
}

// Delete fails if the key is already gone.
func (*SSHKeyState) Delete(ctx context.Context, id string) error {
	_, err := api(ctx).Keys.DeleteByID(ctx, number(id))
	return err
}

// Tag is a tag of the account. A Droplet's tags are created with it and stay when it is deleted.
type Tag struct {
	shared.Resource[TagState, TagState, *TagState]
}

func (*Tag) Annotate(a infer.Annotator) { a.SetToken("index/tag", "Tag") }

type TagState struct {
	Name string `pulumi:"name" provider:"replaceOnChanges"`
}

func (t *TagState) Inputs() *TagState { return t }

// Create makes the tag, or takes over an existing tag of the same name.
func (t *TagState) Create(ctx context.Context) (string, error) {
	_, _, err := api(ctx).Tags.Create(ctx, &godo.TagCreateRequest{Name: t.Name})
	return t.Name, err
}

func (t *TagState) Read(ctx context.Context, id string) (bool, error) {
	found, answer, err := api(ctx).Tags.Get(ctx, id)
	if err != nil {
		return false, unlessGone(answer, err)
	}
	t.Name = found.Name
	return true, nil
}

// Delete removes the tag from the account and from all resources that have it.
func (*TagState) Delete(ctx context.Context, id string) error {
	_, err := api(ctx).Tags.Delete(ctx, id)
	return err
}
