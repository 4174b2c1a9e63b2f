// Package cloud holds the resources and functions, and the client that all of them share.
package cloud

import (
	"context"
	"os"
	"strconv"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
	"golang.org/x/oauth2"
)

const (
	defaultEndpoint  = "https://api.digitalocean.com"
	defaultRetryMax  = 4
	defaultRetryWait = 1.0
	defaultRetryMost = 30.0
)

// Config is what a program says of the provider. No field is marked secret.
type Config struct {
	Token             *string  `pulumi:"token,optional"`
	APIEndpoint       *string  `pulumi:"apiEndpoint,optional"`
	HTTPRetryMax      *int     `pulumi:"httpRetryMax,optional"`
	HTTPRetryWaitMax  *float64 `pulumi:"httpRetryWaitMax,optional"`
	HTTPRetryWaitMin  *float64 `pulumi:"httpRetryWaitMin,optional"`
	RequestsPerSecond *float64 `pulumi:"requestsPerSecond,optional"`
	SpacesAccessID    *string  `pulumi:"spacesAccessId,optional"`
	SpacesEndpoint    *string  `pulumi:"spacesEndpoint,optional"`
	SpacesSecretKey   *string  `pulumi:"spacesSecretKey,optional"`

	client *godo.Client
}

// Configure makes the client, without asking the API anything: a wrong token shows at the first request.
func (c *Config) Configure(context.Context) error {
	token := valueOr(c.Token, os.Getenv("DIGITALOCEAN_TOKEN"))
	if token == "" {
		token = os.Getenv("DIGITALOCEAN_ACCESS_TOKEN")
	}
	wait, most := valueOr(c.HTTPRetryWaitMin, defaultRetryWait)*pace, valueOr(c.HTTPRetryWaitMax, defaultRetryMost)*pace
	options := []godo.ClientOpt{
		godo.SetBaseURL(valueOr(c.APIEndpoint, defaultEndpoint)),
		godo.WithRetryAndBackoffs(godo.RetryConfig{
			RetryMax: valueOr(c.HTTPRetryMax, defaultRetryMax), RetryWaitMin: &wait, RetryWaitMax: &most,
		}),
	}
	if rate := valueOr(c.RequestsPerSecond, 0); rate > 0 {
		options = append(options, godo.SetStaticRateLimit(rate))
	}
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	var err error
	c.client, err = godo.New(oauth2.NewClient(context.Background(), source), options...)
	return err
}

func api(ctx context.Context) *godo.Client { return infer.GetConfig[*Config](ctx).client }

// pace is 1, or what a test makes of it.
var pace = func() float64 {
	if factor, err := strconv.ParseFloat(os.Getenv("PILLAR_LAB_DIGITALOCEAN_PACE"), 64); err == nil && factor > 0 {
		return factor
	}
	return 1
}()

func valueOr[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}
