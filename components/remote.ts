import { remote, type types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { formatNotRun, readAnswer } from "../core/ssh/answer";
import type { OrchestratorHost } from "../core/ssh/root";
import type { SshTarget } from "../core/ssh/ssh";
import { createEnvelope, type Step } from "../core/steps/step";
import { commandsFor } from "../core/util/commands";
import { printableLines } from "../core/util/printable";
import { formatProblem } from "../core/util/problem";
import type { LoginCheck } from "./loginCheck";
import { createPlainError } from "./plainErrors";
import { createStepLines, getPromise } from "./stepLines";
import type { UnprovedSteps } from "./unprovedSteps";

/** A host's address and login. Secrets in it are outputs that are marked as such. */
export interface HostAccess {
  readonly stack: string;
  readonly address: pulumi.Input<string>;
  readonly port: number;
  readonly user: string;
  /** The host key, as in authorized_keys. A host with another key is refused. */
  readonly hostKey: pulumi.Input<string>;
  readonly privateKey?: pulumi.Output<string>;
  readonly privateKeyPassword?: pulumi.Output<string>;
  readonly password?: pulumi.Output<string>;
  readonly sudoPassword?: pulumi.Output<string>;
  /** The jump host. */
  readonly proxy?: pulumi.Output<SshTarget>;
  /** True if the ssh agent is used. Its socket path differs in every session, so it stays out of the state. */
  readonly agent: boolean;
  readonly loginCheck: LoginCheck;
  readonly unproved: UnprovedSteps;
}

interface StepRun {
  readonly command: remote.Command;
  /** Use this in `dependsOn` of later resources. It rejects unless the step itself reported that it is done. */
  readonly proved: pulumi.Input<pulumi.Resource>;
  /** The step's output. Secret, because the step's inputs hold the login. */
  readonly stdout: pulumi.Output<string>;
}

/** Returns the login for the program's own ssh. Secret. */
export function createSshTarget(access: HostAccess): pulumi.Output<SshTarget> {
  const { address, port, user, hostKey, privateKey, privateKeyPassword, password, agent, proxy } = access;
  return pulumi.output({ address, port, user, hostKey, privateKey, privateKeyPassword, password, agent, proxy });
}

/** Returns the login with the stack and the sudo password, to become root on the host. */
export function createRootAccess(access: HostAccess): pulumi.Output<OrchestratorHost> {
  return pulumi.output({ stack: access.stack, ssh: createSshTarget(access), sudoPassword: access.sudoPassword });
}

/** Returns a step's standard input for the login user's shell. Secret, because it holds the sudo password. */
export function createStepInput(
  step: Step,
  access: HostAccess,
  unproved: Promise<number> | 0 = 0,
): pulumi.Output<string> {
  return pulumi.secret(
    pulumi
      .all([access.sudoPassword ?? "", access.address, unproved])
      .apply(([sudoPassword, hostName, count]) =>
        createEnvelope(step, { hostName, stack: access.stack, sudoPassword }, count),
      ),
  );
}

/**
 * Runs a step on a host as root. No other code makes a remote.Command. Deleting the resource undoes nothing on the
 * host. Any changed input, even of the connection, runs the step again, so steps check before they act. The command
 * line has only the step's name: script and sudo password go through standard input.
 */
export function runStep(
  name: string,
  step: Step,
  access: HostAccess,
  { triggers, ...options }: pulumi.ComponentResourceOptions & { readonly triggers?: readonly string[] },
): StepRun {
  const { port, user, hostKey, privateKey, privateKeyPassword, password } = access;
  const limits = { dialErrorLimit: 10, perDialTimeout: 15 };
  // The plugin has no input for the agent: it finds the agent through SSH_AUTH_SOCK.
  const proxy = access.proxy?.apply(({ address, agent: _, ...login }) => ({ host: address, ...login, ...limits }));
  const connection = pulumi.secret({
    host: access.address,
    port,
    user,
    hostKey,
    privateKey,
    privateKeyPassword,
    password,
    proxy,
    ...limits,
  }) as pulumi.Output<types.input.remote.ConnectionArgs>;
  const stdin = createStepInput(step, access, access.unproved.count(name));
  const lines = createStepLines(name, step, { root: createRootAccess(access), loginCheck: access.loginCheck });
  const command = new remote.Command(
    name,
    {
      connection,
      // Ends with the next command: the plugin's errors quote this line, and after a lost connection they say no more.
      create: `bash -euo pipefail -s ${step.name} # to go on: ${commandsFor(access.stack).up}`,
      stdin,
      logging: remote.Logging.None,
      addPreviousOutputInEnv: false,
      triggers: triggers === undefined ? undefined : [...triggers],
    },
    { ...options, hooks: lines.hooks },
  );
  // Stops following the step's output, also after a rejection: then the step failed, or the engine is gone.
  getPromise(command.urn).then(lines.end, lines.end);
  const isPreview = pulumi.runtime.isDryRun();
  const stdout = pulumi
    // Takes the script from the outputs: if --target leaves the step out, they belong to the script that ran last.
    .all([command.stdout, command.stderr, command.stdin, access.address])
    .apply(async ([out, err, script = "", address]) => {
      const answer = readAnswer(script, { stdout: out, stderr: err });
      const printed = answer.stdout.trimEnd();
      lines.show(printed);
      const isAccepted = step.accepts?.(printed) ?? true;
      if ((answer.isDone && isAccepted) || isPreview) return printed;
      await access.unproved.note(name);
      const text = answer.isDone ? formatBadResult(step.name, printed) : formatNotRun(step.name, out + err);
      const message = printableLines(`${address}: ${insertLogin(text, { ...access, address })}`);
      throw createPlainError(message);
    });
  return { command, stdout, proved: isPreview ? command : stdout.apply(() => command) };
}

function formatBadResult(step: string, printed: string): string {
  return formatProblem({
    what: `the step ${step} printed an unexpected result`,
    found: JSON.stringify(printed.slice(0, 200)),
  });
}

function insertLogin(text: string, { user, address, port, stack }: HostAccess & { readonly address: string }): string {
  const named = text.replace("USER@HOST", `-p ${port} ${user}@${address}`).replace("USER", user);
  return `${named}\n  Then: ${commandsFor(stack).up}`;
}
