// Package cloud contains the resources of the hcloud provider that the program uses.
package cloud

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/shared"
)

// Version is the original's version.
const Version = "1.41.0"

const tokenLength = 64

type Config struct {
	Token        *string `pulumi:"token,optional" provider:"secret"`
	Endpoint     *string `pulumi:"endpoint,optional"`
	PollInterval *string `pulumi:"pollInterval,optional"`

	client *hcloud.Client
}

// Configure creates the client. A missing token may be unknown in a preview, so only its use fails.
func (c *Config) Configure(context.Context) error {
	token := shared.Or(c.Token, "")
	if token == "" {
		return nil
	}
	if len(token) != tokenLength {
		return fmt.Errorf("entered token is invalid (must be exactly %d characters long)", tokenLength)
	}
	interval, err := time.ParseDuration(shared.Or(c.PollInterval, "500ms"))
	if err != nil {
		return fmt.Errorf("pollInterval: %w", err)
	}
	poll := hcloud.ExponentialBackoffWithOpts(hcloud.ExponentialBackoffOpts{
		Base: interval, Multiplier: 2, Cap: time.Minute,
	})
	options := []hcloud.ClientOption{
		hcloud.WithToken(token),
		hcloud.WithApplication("pulumi-hcloud", Version),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: poll}),
	}
	if c.Endpoint != nil {
		options = append(options, hcloud.WithEndpoint(*c.Endpoint))
	}
	c.client = hcloud.NewClient(options...)
	return nil
}

func clientOf(ctx context.Context) (*hcloud.Client, error) {
	if client := infer.GetConfig[*Config](ctx).client; client != nil {
		return client, nil
	}
	return nil, failure(errors.New("no token: set hcloud:token"))
}

// targetOf returns the client and the number of the requested resource.
func targetOf(ctx context.Context, id string) (*hcloud.Client, int64, error) {
	client, err := clientOf(ctx)
	if err != nil {
		return nil, 0, err
	}
	number, err := strconv.ParseInt(id, 10, 64)
	return client, number, failure(err)
}

func textOf(id int64) string { return strconv.FormatInt(id, 10) }

// failure formats an error as the original does. An operator sees this frame around the API's message.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sdk-v2/provider2.go:572: sdk.helper_schema: %w: provider=hcloud@%s", err, Version)
}

// halfMade formats an error of a later step, after which the resource exists.
func halfMade(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("1 error occurred:\n\t* %w\n\n", err)
}

func isGone(err error) bool { return hcloud.IsError(err, hcloud.ErrorCodeNotFound) }
