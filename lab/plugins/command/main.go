// A stand-in for pulumi-resource-command 1.2.1, for lab machines that cannot download the official plugin. It serves
// the same resource types over the same protocol, so that a program under test cannot tell the difference.
//
// It keeps, each with a test in test/lab/plugins/command.long.test.ts:
//
//   - connection: host key checked when given and ignored when not; dial attempts with backoff, a wrong key among
//     them (dialErrorLimit, perDialTimeout); private key with pass phrase, password, keyboard-interactive, agent;
//     a proxy; defaults port 22 and user root; connections stay open until the plugin ends;
//   - remote.Command: stdin, live log by stream, one trailing newline trimmed; a failure carries status, command and
//     output, and is not recorded; any changed input runs `create` again; triggers replace (the SDK adds
//     replaceOnChanges); a preview runs nothing;
//   - secrets: the connection is always secret, an output is secret only where the input of its name is. stdout and
//     stderr are therefore never secret by themselves, whatever was secret in stdin, create or connection;
//   - the traps: a failure prints the whole command; one logged line over 64 KiB hangs the run; perDialTimeout ends
//     when TCP is connected, so a host that accepts and then says nothing is waited for without end; an update gets the
//     same stdin as create, and a command that ends before its stdin was sent fails with EOF, whatever its exit status.
//
// It leaves out every other resource, `update`, `delete`, the environment, and agent sockets of Windows.
package main

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/command/remote"
	"pillar-host/lab/plugins/shared"
)

func main() {
	shared.Serve("command", "1.2.1", infer.NewProviderBuilder().WithResources(infer.Resource(&remote.Command{})))
}
