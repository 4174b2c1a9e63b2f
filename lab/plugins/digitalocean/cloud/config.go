// Package cloud contains the resources of the digitalocean provider that the program uses.
package cloud

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
	"golang.org/x/oauth2"

	"pillar-host/lab/plugins/shared"
)

const (
	retryMax  = 4
	retryWait = 1.0
	retryMost = 30.0
)

// Config is the provider's configuration. No field is marked as secret.
type Config struct {
	Token       *string `pulumi:"token,optional"`
	APIEndpoint *string `pulumi:"apiEndpoint,optional"`

	client *godo.Client
}

// Configure creates the client without a request to the API. A wrong token fails at the first request.
func (c *Config) Configure(context.Context) error {
	wait, most := retryWait*pace, retryMost*pace
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: shared.Or(c.Token, "")})
	var err error
	c.client, err = godo.New(
		oauth2.NewClient(context.Background(), source),
		godo.SetBaseURL(shared.Or(c.APIEndpoint, "https://api.digitalocean.com")),
		godo.WithRetryAndBackoffs(godo.RetryConfig{RetryMax: retryMax, RetryWaitMin: &wait, RetryWaitMax: &most}),
	)
	return err
}

func api(ctx context.Context) *godo.Client { return infer.GetConfig[*Config](ctx).client }

// pace is the factor on all waits: 1, unless a test sets another one.
var pace = func() float64 {
	if factor, err := strconv.ParseFloat(os.Getenv("PILLAR_LAB_DIGITALOCEAN_PACE"), 64); err == nil && factor > 0 {
		return factor
	}
	return 1
}()

// timeout returns the program's timeout if it sets one, else the resource's own.
func timeout(ctx context.Context, own time.Duration) time.Duration {
	if deadline, given := ctx.Deadline(); given {
		return time.Until(deadline)
	}
	return time.Duration(float64(own) * pace)
}

// failed formats an error as the bridge does.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("1 error occurred:\n\t* %s: %w\n\n", doing, err)
}

func isGone(response *godo.Response) bool {
	return response != nil && response.StatusCode == http.StatusNotFound
}

func unlessGone(response *godo.Response, doing string, err error) error {
	if isGone(response) {
		return nil
	}
	return failed(doing, err)
}
