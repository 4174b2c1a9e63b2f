// Package cloud holds the resources of the digitalocean provider that the program uses.
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

// Config is what a program says of the provider. No field is marked secret.
type Config struct {
	Token       *string `pulumi:"token,optional"`
	APIEndpoint *string `pulumi:"apiEndpoint,optional"`

	client *godo.Client
}

// Configure makes the client, without asking the API anything: a wrong token shows at the first request.
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

// pace is 1, or what a test makes of it.
var pace = func() float64 {
	if factor, err := strconv.ParseFloat(os.Getenv("PILLAR_LAB_DIGITALOCEAN_PACE"), 64); err == nil && factor > 0 {
		return factor
	}
	return 1
}()

// timeout is the one that the program gave, or the resource's own.
func timeout(ctx context.Context, own time.Duration) time.Duration {
	if deadline, given := ctx.Deadline(); given {
		return time.Until(deadline)
	}
	return time.Duration(float64(own) * pace)
}

// failed says what went wrong as the bridge does.
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
