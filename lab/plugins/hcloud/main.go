// A stand-in for pulumi-resource-hcloud 1.41.0, for lab machines that cannot download the official plugin. It serves
// the resource types and fields that the program uses over the same protocol and calls the same HTTP API through the same
// client library, so that neither the program under test nor the cloud can tell the difference.
//
// It keeps, most of it with a test in test/lab/plugins/hcloud.long.test.ts:
//
//   - configuration: token (secret; exactly 64 characters, checked before the first request), endpoint, pollInterval; a
//     changed one replaces nothing;
//   - which changed input replaces (a server's image, location, userData, sshKeys; a key's publicKey) and which updates
//     in place; a replaced resource with a name of its own is deleted before the new one is made; a resource without a
//     name gets one with a random end;
//   - waits for every action; a create that fails after the server exists keeps it in the state as half made, and the
//     next update, which compares with what was asked for, does not make up for the steps that were missed (backups,
//     protection): the original's trap;
//   - Read: import by id, refresh, a vanished resource leaves the state;
//   - userData leaves as it came, and stands in the outputs as its SHA-1 only; it is secret where the input is;
//   - delete fails on a protected server and on one that is gone; a firewall in use is tried again for a while.
//
// It leaves out every other resource and field, all functions, a changed serverType, and the original's warnings.
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
