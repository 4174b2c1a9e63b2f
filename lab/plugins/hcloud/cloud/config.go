// Package cloud holds the resources and functions of the hcloud provider that the program uses.
package cloud

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Version is that of the original.
const Version = "1.41.0"

const (
	tokenLength         = 64
	defaultPollInterval = 500 * time.Millisecond
	longestPollInterval = time.Minute
)

// Config is the provider's configuration.
type Config struct {
	Token           *string `pulumi:"token,optional" provider:"secret"`
	Endpoint        *string `pulumi:"endpoint,optional"`
	EndpointHetzner *string `pulumi:"endpointHetzner,optional"`
	PollInterval    *string `pulumi:"pollInterval,optional"`
	PollFunction    *string `pulumi:"pollFunction,optional"`
}

// A plugin process serves one configuration.
var configured *hcloud.Client

var errNoToken = errors.New("no token: set hcloud:token or the environment variable HCLOUD_TOKEN")

// Configure makes the client. A token that is missing here may be unknown in a preview: only its use fails.
func (c *Config) Configure(context.Context) error {
	token := valueOr(c.Token, os.Getenv("HCLOUD_TOKEN"))
	if token == "" {
		return nil
	}
	if len(token) != tokenLength {
		return fmt.Errorf("entered token is invalid (must be exactly %d characters long)", tokenLength)
	}
	poll, err := c.pollBackoff()
	if err != nil {
		return err
	}
	options := []hcloud.ClientOption{
		hcloud.WithToken(token),
		hcloud.WithApplication("pulumi-hcloud", Version),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: poll}),
	}
	if endpoint := valueOr(c.Endpoint, os.Getenv("HCLOUD_ENDPOINT")); endpoint != "" {
		options = append(options, hcloud.WithEndpoint(endpoint))
	}
	configured = hcloud.NewClient(options...)
	return nil
}

// Diff never replaces: infer would take every resource of the provider with a changed token.
func (c *Config) Diff(_ context.Context, req infer.DiffRequest[*Config, *Config]) (provider.DiffResponse, error) {
	found := diffs{}
	for name, pair := range map[string][2]*string{
		"token":           {req.State.Token, req.Inputs.Token},
		"endpoint":        {req.State.Endpoint, req.Inputs.Endpoint},
		"endpointHetzner": {req.State.EndpointHetzner, req.Inputs.EndpointHetzner},
		"pollInterval":    {req.State.PollInterval, req.Inputs.PollInterval},
		"pollFunction":    {req.State.PollFunction, req.Inputs.PollFunction},
	} {
		found.update(name, valueOr(pair[0], "") != valueOr(pair[1], ""))
	}
	return found.response(nil), nil
}

func (c *Config) pollBackoff() (hcloud.BackoffFunc, error) {
	interval := defaultPollInterval
	if c.PollInterval != nil {
		var err error
		if interval, err = time.ParseDuration(*c.PollInterval); err != nil {
			return nil, fmt.Errorf("pollInterval: %w", err)
		}
	}
	switch function := valueOr(c.PollFunction, "exponential"); function {
	case "constant":
		return hcloud.ConstantBackoff(interval), nil
	case "exponential":
		options := hcloud.ExponentialBackoffOpts{Base: interval, Multiplier: 2, Cap: longestPollInterval}
		return hcloud.ExponentialBackoffWithOpts(options), nil
	default:
		return nil, fmt.Errorf("pollFunction: %q is not one of constant, exponential", function)
	}
}

// targetOf is the client, and the number of what it is asked about.
func targetOf(id string) (*hcloud.Client, int64, error) {
	client, err := clientOf()
	if err != nil {
		return nil, 0, err
	}
	number, err := parseID(id)
	return client, number, err
}

func clientOf() (*hcloud.Client, error) {
	if configured == nil {
		return nil, failure(errNoToken)
	}
	return configured, nil
}
