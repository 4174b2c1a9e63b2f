// This is a stand-in for pulumi-resource-command 1.2.1, for lab machines that cannot download the official plugin. It
// serves remote.Command over the same protocol.
//
// It copies the following behavior, with tests in test/lab/plugins/command.long.test.ts and
// test/lab/node/login.long.test.ts:
//
//   - Connection: The host key is checked only if it is given. Failed dials, even those with a wrong key, are retried
//     with backoff (dialErrorLimit, perDialTimeout). Private key with passphrase, password, keyboard-interactive, and
//     agent work. A proxy works. The defaults are port 22 and user root. Connections stay open until the plugin ends.
//   - remote.Command: stdin, and one trailing newline is trimmed. A failure contains status, command, and output, and
//     is not stored. Any changed input runs `create` again. Triggers replace (the SDK adds replaceOnChanges). A preview
//     runs nothing.
//   - Secrets: The connection is always secret. An output is secret only if the input of the same name is. So stdout
//     and stderr are never secret by themselves, even if stdin, create, or connection contains a secret.
//   - The traps: A failure prints the whole command, and both streams in any order. perDialTimeout ends when TCP is connected, so a host that accepts
//     and never answers blocks forever. A command that ends before its stdin was sent fails with EOF, whatever its exit
//     status.
//
// It lacks every other resource, `update`, `delete`, the live log, the environment, and Windows' agent sockets.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"pillar-host/lab/plugins/shared"
)

func main() {
	shared.Serve("command", "1.2.1", infer.NewProviderBuilder().WithResources(infer.Resource(&Command{})))
}

type Command struct{}

func (*Command) Annotate(a infer.Annotator) { a.SetToken("remote", "Command") }

// CommandInputs contains the inputs that a program sets.
type CommandInputs struct {
	Triggers               *[]any      `pulumi:"triggers,optional" provider:"replaceOnChanges"`
	Create                 string      `pulumi:"create"`
	Stdin                  *string     `pulumi:"stdin,optional"`
	Logging                string      `pulumi:"logging"`
	Connection             *Connection `pulumi:"connection" provider:"secret"`
	AddPreviousOutputInEnv bool        `pulumi:"addPreviousOutputInEnv"`
}

// CommandOutputs contains the inputs and the output of the last run. It has no WireDependencies, so infer makes an
// output secret only if the input of the same name is secret, as in the original.
type CommandOutputs struct {
	CommandInputs
	Stdout string `pulumi:"stdout"`
	Stderr string `pulumi:"stderr"`
}

// Create runs `create`.
func (*Command) Create(
	ctx context.Context, req infer.CreateRequest[CommandInputs],
) (infer.CreateResponse[CommandOutputs], error) {
	state := CommandOutputs{CommandInputs: req.Inputs}
	id, err := resource.NewUniqueHex(req.Name, 8, 0)
	if err == nil && !req.DryRun {
		err = state.run(ctx)
	}
	return infer.CreateResponse[CommandOutputs]{ID: id, Output: state}, err
}

// Update runs `create` again.
func (*Command) Update(
	ctx context.Context, req infer.UpdateRequest[CommandInputs, CommandOutputs],
) (infer.UpdateResponse[CommandOutputs], error) {
	state := CommandOutputs{CommandInputs: req.Inputs, Stdout: req.State.Stdout, Stderr: req.State.Stderr}
	var err error
	if !req.DryRun {
		err = state.run(ctx)
	}
	return infer.UpdateResponse[CommandOutputs]{Output: state}, err
}

// run executes the command and stores its output. If the command fails, the previous output stays.
func (c *CommandOutputs) run(ctx context.Context) error {
	if c.AddPreviousOutputInEnv || c.Logging != "none" {
		return errors.New("the lab's stand-in for this plugin needs addPreviousOutputInEnv: false and logging: none")
	}
	client, err := c.Connection.dial(ctx)
	if err != nil {
		return err
	}
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	defer session.Close()
	session.Stdin = strings.NewReader(shared.Or(c.Stdin, ""))

	var stdout, stderr bytes.Buffer
	session.Stdout, session.Stderr = &stdout, &stderr
	if err := session.Run(c.Create); err != nil {
		return fmt.Errorf("%w: running %q:\n%s", err, c.Create, mix(stderr.String(), stdout.String()))
	}
	c.Stdout, c.Stderr = strings.TrimSuffix(stdout.String(), "\n"), strings.TrimSuffix(stderr.String(), "\n")
	return nil
}

// mix takes a line of each stream in turn. In the original, two goroutines write to one buffer, without a lock and in
// any order (provider/pkg/provider/remote/commandOutputs.go, run: stdouterrbuf).
func mix(first, second string) string {
	var mixed strings.Builder
	for first != "" || second != "" {
		line, rest, found := strings.Cut(first, "\n")
		mixed.WriteString(line)
		if found {
			mixed.WriteString("\n")
		}
		first, second = second, rest
	}
	return mixed.String()
}
