// A stand-in for pulumi-resource-digitalocean 4.80.1, for lab machines that cannot download the official plugin. It
// serves the same resource types and functions over the same protocol, and talks to the API through godo, the client
// that the official one uses, so that a program under test cannot tell the difference.
//
// What it keeps, each with a test in test/lab/plugins/digitalocean*.test.ts:
//
//   - the provider: token (DIGITALOCEAN_TOKEN, DIGITALOCEAN_ACCESS_TOKEN), apiEndpoint without /v2, httpRetryMax 4,
//     httpRetryWaitMin 1 s, httpRetryWaitMax 30 s, requestsPerSecond; a changed token replaces nothing;
//   - Droplet, SshKey, Firewall, Tag: create, read, update, delete, import by id; what has vanished leaves the state on
//     refresh; a name that is not given is made up;
//   - what replaces a Droplet: image, region, sshKeys, userData, monitoring, dropletAgent, vpcUuid, publicNetworking,
//     gpuPartitionMode, and ipv6 switched off. Size, name, backups, tags change in place, with a power cycle for a
//     size. With a name that was given, the old one is deleted first. SshKey: publicKey; Tag: name; Firewall: nothing;
//   - a Droplet whose create was accepted and that then fails is in the state as not initialized; customTimeouts hold;
//   - the traps: the plugin does not mark the token as secret (the Node SDK of 4.80.1 does so by itself, that of 4.68.0
//     did not); userData stands in clear among the inputs unless the program marks it, and as a SHA-1 among the
//     outputs; image, sshKeys and userData are never read back, so an imported Droplet is replaced by a program that
//     sets the last two; a Droplet's create waits 10 s before it first looks, and then until it is active and shows a
//     public address; an update waits 10 s for each action, a delete 20 s; a Droplet that is locked is waited for,
//     60 s at most in a delete; a create that was retried after its answer was lost makes a second Droplet; an SshKey
//     that has vanished cannot be deleted.
//
// What it leaves out: volumes, every other resource, and all functions.
//
// PILLAR_LAB_DIGITALOCEAN_PACE, for tests only: a factor on all of these waits and on the client's pauses between its
// attempts (0.01: a hundred times as fast). Without it the plugin is as slow as the official one.
package main

import (
	"context"
	"fmt"
	"os"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/digitalocean/cloud"
)

const version = "4.80.1"

func main() {
	digitalocean, err := infer.NewProviderBuilder().
		WithConfig(infer.Config(&cloud.Config{})).
		WithResources(
			infer.Resource(&cloud.Droplet{}),
			infer.Resource(&cloud.SSHKey{}),
			infer.Resource(&cloud.Firewall{}),
			infer.Resource(&cloud.Tag{}),
		).
		Build()
	if err == nil {
		err = provider.RunProvider(context.Background(), "digitalocean", version, cloud.AsBridged(digitalocean))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
