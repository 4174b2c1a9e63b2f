// This is a stand-in for pulumi-resource-command 1.2.1, for lab machines that cannot download the official plugin. It
// serves the same resource types over the same protocol, so a program under test cannot tell the difference.
//
// It copies the following behavior, each with a test in test/lab/plugins/command.long.test.ts:
//
//   - Connection: The host key is checked only if it is given. Failed dials, even those with a wrong key, are retried
//     with backoff (dialErrorLimit, perDialTimeout). Private key with passphrase, password, keyboard-interactive, and
//     agent work. A proxy works. The defaults are port 22 and user root. Connections stay open until the plugin ends.
//   - remote.Command: stdin, and one trailing newline is trimmed. A failure contains status, command, and output, and
//     is not stored. Any changed input runs `create` again. Triggers replace (the SDK adds replaceOnChanges). A preview
//     runs nothing.
//   - Secrets: The connection is always secret. An output is secret only if the input of the same name is. So stdout
//     and stderr are never secret by themselves, even if stdin, create, or connection contains a secret.
//   - The traps: A failure prints the whole command. perDialTimeout ends when TCP is connected, so a host that accepts
//     and never answers blocks forever. An update gets the same stdin as create. A command that ends before its stdin
//     was sent fails with EOF, whatever its exit status.
//
// It lacks every other resource, `update`, `delete`, the live log, the environment, and Windows' agent sockets.
package main

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/command/remote"
	"pillar-host/lab/plugins/shared"
)

func main() {
	shared.Serve("command", "1.2.1", infer.NewProviderBuilder().WithResources(infer.Resource(&remote.Command{})))
}
