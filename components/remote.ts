import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { OrchestratorHost } from "../core/ssh/root";
import type { SshTarget } from "../core/ssh/ssh";
import { envelope, type Step } from "../core/steps/step";
import { commandsFor } from "../core/util/commands";

/** How a host is reached and logged in to. Secrets in it are outputs, marked as such. */
export interface HostAccess {
  /** Whose host it is: what an operator is told to type names it. */
  readonly stack: string;
  /** IP address or name. */
  readonly address: pulumi.Input<string>;
  readonly port: number;
  readonly user: string;
  /** An authorized_keys line: the connection is refused where the host shows another. */
  readonly hostKey: pulumi.Input<string>;
  readonly privateKey?: pulumi.Output<string>;
  readonly privateKeyPassword?: pulumi.Output<string>;
  readonly password?: pulumi.Output<string>;
  readonly sudoPassword?: pulumi.Output<string>;
  /** The agent of whoever runs the engine. Its socket's path stays out of the state: it is another one every time. */
  readonly agent: boolean;
}

/** The same for the program's own ssh. Secret, as the login is. */
export function sshTargetOf(access: HostAccess): pulumi.Output<SshTarget> {
  const { address, port, user, hostKey, privateKey, privateKeyPassword, password, agent } = access;
  return pulumi.output({ address, port, user, hostKey, privateKey, privateKeyPassword, password, agent });
}

/** The same, with what it takes to become root there. */
export function rootAccessOf(access: HostAccess): pulumi.Output<OrchestratorHost> {
  return pulumi.output({ stack: access.stack, ssh: sshTargetOf(access), sudoPassword: access.sudoPassword });
}

/** What a step is to the login user's shell on a host: secret, as the sudo password stands in it. */
export function stepInput(step: Step, access: HostAccess): pulumi.Output<string> {
  return pulumi.secret(
    pulumi
      .all([access.sudoPassword ?? "", access.address])
      .apply(([sudoPassword, hostName]) => envelope(step, { hostName, stack: access.stack, sudoPassword })),
  );
}

/**
 * Runs a step on a host as root. The only place that makes a remote.Command.
 *
 * Nothing of it is undone when it leaves the state. A changed input, the connection too, runs the step again: steps
 * look before they act. Its command line names the step and nothing else; script and sudo password go through
 * standard input.
 *
 * @param triggers plain texts; another one runs it again, too
 */
export function runStep(
  name: string,
  step: Step,
  access: HostAccess,
  options: pulumi.ComponentResourceOptions,
  triggers?: readonly string[],
): remote.Command {
  const connection: remote.CommandArgs["connection"] = pulumi.secret({
    host: access.address,
    port: access.port,
    user: access.user,
    hostKey: access.hostKey,
    ...(access.privateKey ? { privateKey: access.privateKey } : {}),
    ...(access.privateKeyPassword ? { privateKeyPassword: access.privateKeyPassword } : {}),
    ...(access.password ? { password: access.password } : {}),
    dialErrorLimit: 10,
    perDialTimeout: 15,
  });
  return new remote.Command(
    name,
    {
      connection,
      // The plugin's errors quote it: all that an operator reads where the connection was lost.
      create: `bash -euo pipefail -s ${step.name} # to go on: ${commandsFor(access.stack).up}`,
      stdin: stepInput(step, access),
      logging: step.quiet ? remote.Logging.None : remote.Logging.Stdout,
      addPreviousOutputInEnv: false,
      ...(triggers === undefined ? {} : { triggers: [...triggers] }),
    },
    options,
  );
}
