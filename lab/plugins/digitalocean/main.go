// A stand-in for pulumi-resource-digitalocean 4.80.1, for lab machines that cannot download the official plugin. It
// serves the resource types and fields that the program uses over the same protocol, and talks to the API through godo,
// the client that the official one uses, so that a program under test cannot tell the difference.
//
// It keeps, each with a test in test/lab/plugins/digitalocean.long.test.ts:
//
//   - the provider: token, apiEndpoint without /v2, five attempts, 1 to 30 s apart; a changed token replaces nothing;
//   - Droplet, SshKey, Firewall, Tag: create, read, update, delete, import by id; what has vanished leaves the state on
//     refresh; a name that is not given is made up;
//   - what replaces a Droplet: image, region, sshKeys, userData. Backups change in place. With a name that was given, the
//     old one is deleted first. SshKey: publicKey; Tag: name; Firewall: nothing;
//   - a Droplet whose create was accepted and that then fails is in the state as not initialized; customTimeouts hold;
//   - the traps: the plugin does not mark the token as secret (the SDK does so by itself); userData stands in clear among
//     the inputs unless the program marks it, and as a SHA-1 among the outputs; image, sshKeys and userData are never read
//     back, so an imported Droplet is replaced by a program that sets the last two; a Droplet's create waits 10 s before
//     it first looks, and then until it is active and shows a public address; an update waits 10 s for each action, a
//     delete 20 s; a Droplet that is locked is waited for, 60 s at most in a delete; a create that was retried after its
//     answer was lost makes a second Droplet; an SshKey that has vanished cannot be deleted.
//
// It leaves out every other resource and field, all functions, and a changed size, name or tag of a Droplet.
//
// PILLAR_LAB_DIGITALOCEAN_PACE, for tests only: a factor on all of these waits and on the client's pauses between its
// attempts (0.01: a hundred times as fast). Without it the plugin is as slow as the official one.
package main

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/digitalocean/cloud"
	"pillar-host/lab/plugins/shared"
)

func main() {
	shared.Serve("digitalocean", "4.80.1", infer.NewProviderBuilder().
		WithConfig(infer.Config(&cloud.Config{})).
		WithResources(
			infer.Resource(&cloud.Droplet{}),
			infer.Resource(&cloud.SSHKey{}),
			infer.Resource(&cloud.Firewall{}),
			infer.Resource(&cloud.Tag{}),
		))
}
