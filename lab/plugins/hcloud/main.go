// A stand-in for pulumi-resource-hcloud 1.41.0, for lab machines that cannot download the official plugin. It serves
// the resource types that the program uses over the same protocol and calls the same HTTP API through the same client
// library, so that neither the program under test nor the cloud can tell the difference.
//
// What it keeps, most of it with a test in test/lab/plugins/hcloud.test.ts:
//
//   - configuration: token (secret, or HCLOUD_TOKEN; exactly 64 characters, checked before the first request), endpoint
//     (or HCLOUD_ENDPOINT), pollInterval, pollFunction; a changed one replaces nothing;
//   - which changed input replaces (a server's image, location, userData, sshKeys; a key's publicKey; a firewall's
//     applyTos) and which updates in place; a replaced resource with a name of its own is
//     deleted before the new one is made; a resource without a name gets one with a random end;
//   - waits for every action; a create that fails after the server exists keeps it in the state as half made, and the
//     next update, which compares with what was asked for, does not make up for the steps that were missed (backups,
//     protection): the original's trap;
//   - Read: import by id, refresh, a vanished resource leaves the state; what a firewall attachment or a label selector
//     puts on a server shows in its firewallIds unless ignoreRemoteFirewallIds;
//   - userData leaves as it came, and stands in the outputs as its SHA-1 only; it is secret where the input is;
//   - delete lifts the deletion protection that the state knows of, and fails on one set behind its back; a server
//     shuts down first when asked to; deleting what is gone succeeds; a firewall in use is tried again for a while;
//   - a changed serverType powers the server off, changes it and starts it again;
//
// What it leaves out: every other resource, and all functions; iso, rescue, networks, placementGroupId and Primary IPs of a
// server, changed publicNets; the original's warnings.
package main

import (
	"context"
	"fmt"
	"os"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/hcloud/cloud"
)

func main() {
	hcloud, err := infer.NewProviderBuilder().
		WithConfig(infer.Config(&cloud.Config{})).
		WithResources(
			infer.Resource(&cloud.Server{}),
			infer.Resource(&cloud.SSHKey{}),
			infer.Resource(&cloud.Firewall{}),
		).
		Build()
	if err == nil {
		err = provider.RunProvider(context.Background(), "hcloud", cloud.Version, hcloud)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
