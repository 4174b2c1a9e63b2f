// This is a stand-in for pulumi-resource-hcloud 1.41.0, for lab machines that cannot download the official plugin. It
// serves the resource types and fields that the program uses over the same protocol. It calls the same HTTP API through
// the same client library, so neither the program under test nor the cloud can tell the difference.
//
// It copies the following behavior, most of it with a test in test/lab/plugins/hcloud.long.test.ts:
//
//   - Configuration: token (secret; exactly 64 characters, checked before the first request), endpoint, pollInterval. A
//     changed value replaces nothing.
//   - Inputs that replace: a server's image, location, userData, sshKeys, and a key's publicKey. Other inputs change in
//     place. A resource with a given name is deleted before its replacement is made. A resource without a name gets one
//     with a random end.
//   - It waits for every action. If a create fails after the server exists, the state keeps the server as partially
//     created. The next update compares with the requested inputs, so it does not repeat the missed steps (backups,
//     protection). This is the original's trap.
//   - Read: import by id, refresh. A vanished resource leaves the state.
//   - userData is sent unchanged and is only a SHA-1 in the outputs. It is secret if the input is.
//   - Delete fails if the server is protected or already gone. The delete of a firewall in use is retried for a while.
//
// It lacks every other resource and field, all functions, a changed serverType, and the original's warnings.
package main

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/hcloud/cloud"
	"pillar-host/lab/plugins/shared"
)

func main() {
	shared.Serve("hcloud", cloud.Version, infer.NewProviderBuilder().
		WithConfig(infer.Config(&cloud.Config{})).
		WithResources(
			infer.Resource(&cloud.Server{}),
			infer.Resource(&cloud.SSHKey{}),
			infer.Resource(&cloud.Firewall{}),
		))
}
