import { remote, type types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { formatNotRun, readAnswer } from "../core/ssh/answer";
import type { OrchestratorHost } from "../core/ssh/root";
import type { SshTarget } from "../core/ssh/ssh";
import { createEnvelope, type Step } from "../core/steps/step";
import { commandsFor } from "../core/util/commands";
import { printableLines } from "../core/util/printable";
import { formatProblem } from "../core/util/problem";
import type { HostAccess } from "./login";
import { createPlainError } from "./plainErrors";
import { createStepLines, getPromise } from "./stepLines";

interface StepRun {
  readonly command: remote.Command;
  /** Use this in `dependsOn` of later resources. It rejects unless the step itself reported that it is done. */
  readonly proved: pulumi.Input<pulumi.Resource>;
  /** The step's output. Secret, because the step's inputs hold the login. */
  readonly stdout: pulumi.Output<string>;
}

/** Returns the login for the program's own ssh. Secret. */
export function createSshTarget({ address, hostKey, login }: HostAccess): pulumi.Output<SshTarget> {
  return pulumi.all([address, hostKey, login]).apply(([at, key, rest]) => ({ ...rest, address: at, hostKey: key }));
}

/** Returns the login with the stack and the sudo password, to become root on the host. */
export function createRootAccess(access: HostAccess): pulumi.Output<OrchestratorHost> {
  return pulumi.output({ stack: access.stack, ssh: createSshTarget(access), sudoPassword: access.sudoPassword });
}

/** Returns the login for the command plugin, which finds an ssh agent through SSH_AUTH_SOCK. */
function createConnection({ address, agent: _, proxy, ...login }: SshTarget): types.input.remote.ConnectionArgs {
  return { host: address, ...login, dialErrorLimit: 10, perDialTimeout: 15, proxy: proxy && createConnection(proxy) };
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
  const connection = createSshTarget(access).apply(createConnection);
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
