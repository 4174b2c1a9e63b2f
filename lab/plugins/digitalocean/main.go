// This is a stand-in for pulumi-resource-digitalocean 4.80.1, for lab machines that cannot download the official
// plugin. It serves the resource types and fields that the program uses over the same protocol. It calls the API
// through godo, the official plugin's client, so a program under test cannot tell the difference.
//
// It copies the following behavior, each with a test in test/lab/plugins/digitalocean.long.test.ts:
//
//   - The provider: token, apiEndpoint without /v2, five attempts with pauses of 1 to 30 s. A changed token replaces
//     nothing.
//   - Droplet, SshKey, Firewall, Tag: create, read, update, delete, import by id. A vanished resource leaves the state
//     on refresh. A resource without a name gets a generated one.
//   - Inputs that replace a Droplet: image, region, sshKeys, userData. Backups change in place. A Droplet with a given
//     name is deleted before its replacement is made. SshKey: publicKey replaces. Tag: name replaces. Firewall: nothing
//     replaces.
//   - A Droplet that fails after its create was accepted is in the state as not initialized. customTimeouts apply.
//   - The traps: The plugin does not mark the token as secret (the SDK does). userData is in clear text among the
//     inputs unless the program marks it as secret, and a SHA-1 among the outputs. image, sshKeys and userData are
//     never read back, so a program that sets the last two replaces an imported Droplet. A Droplet's create waits 10 s
//     before its first poll, then until the Droplet is active and has a public address. An update waits 10 s for each
//     action, a delete 20 s. The plugin waits for a locked Droplet, at most 60 s in a delete. If a create's answer is
//     lost, the retry makes a second Droplet. A vanished SshKey cannot be deleted.
//
// It lacks every other resource and field, all functions, and changes of a Droplet's size, name, and tags.
//
// PILLAR_LAB_DIGITALOCEAN_PACE, for tests only, is a factor on all of these waits and on the client's pauses between
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
