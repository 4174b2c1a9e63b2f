import { remote, type types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { formatNotRun, formatStepError, readAnswer } from "../core/ssh/answer.ts";
import { markOwn } from "../core/ssh/foreign.ts";
import { type HostLogin, openRoot, type RootHost } from "../core/ssh/root.ts";
import type { SshTarget } from "../core/ssh/ssh.ts";
import { readStepOutputLibrary } from "../core/steps/libraries.ts";
import { createEnvelope, type Step } from "../core/steps/step.ts";
import { commandsFor } from "../core/util/commands.ts";
import { printableLines } from "../core/util/printable.ts";
import { formatProblem } from "../core/util/problem.ts";
import { quoteShellWord } from "../core/util/quote.ts";
import type { ArgsOf } from "../providers/runtime/dynamicResource.ts";
import type { HostIdentity } from "../providers/runtime/stackConfig.ts";
import { createPlainError, createStatusLine, failHook } from "./log.ts";
import type { HostAccess } from "./login.ts";

/** Returns the host as a dynamic resource stores it: by name, without its login. */
export function createHostIdentity({ stack, address, hostKey, setUp }: HostAccess): ArgsOf<HostIdentity> {
  return setUp === undefined ? { stack, address, hostKey } : { stack, address, hostKey, setUp };
}

/** Returns the login for the program's own ssh. Secret. */
function createSshTarget({ address, hostKey, login }: HostAccess): pulumi.Output<SshTarget> {
  return pulumi.all([login, { address, hostKey }]).apply(([own, host]) => ({ ...own, ...host }));
}

/** Returns the login to become root on the host. Secret. */
function createRootAccess(access: HostAccess): pulumi.Output<HostLogin> {
  return pulumi.output({ stack: access.stack, ssh: createSshTarget(access), sudoPassword: access.sudoPassword });
}

/** Returns the login for the command plugin, which finds an ssh agent through SSH_AUTH_SOCK. */
function createConnection(target: SshTarget): types.input.remote.ConnectionArgs {
  const { address, agent: _, proxy, ...login } = target;
  return { host: address, ...login, dialErrorLimit: 10, perDialTimeout: 15, proxy: proxy && createConnection(proxy) };
}

/** Returns a step's standard input for the login user's shell. Secret, because it holds the sudo password. */
export function createStepInput(step: Step, { stack, sudoPassword, address, setUp }: HostAccess) {
  const known = pulumi.all([sudoPassword ?? "", address, setUp]);
  // Changes the text with the set-up, so that the step runs again.
  const text = known.apply(
    ([password, hostName, again]) =>
      createEnvelope(step, { hostName, stack, sudoPassword: password }) + (again ? `# ${again}\n` : ""),
  );
  return pulumi.secret(text);
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
) {
  const connection = createSshTarget(access).apply(createConnection);
  const lines = createStepLines(name, step, access);
  const command = new remote.Command(
    name,
    {
      connection,
      // Ends with the next command: the plugin's errors quote this line, and after a lost connection they say no more.
      create: `bash -euo pipefail -s ${step.name} # to go on: ${commandsFor(access.stack).up}`,
      stdin: createStepInput(step, access),
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
    .all([command.stdout, command.stderr, command.stdin, access.address, command.urn])
    .apply(([out, err, script = "", address, urn]) => {
      const answer = readAnswer(script, { stdout: out, stderr: err });
      const printed = answer.stdout.trimEnd();
      lines.show(printed);
      const isAccepted = step.accepts?.(printed) ?? true;
      if ((answer.isDone && isAccepted) || isPreview) return printed;
      const found = JSON.stringify(printed.slice(0, 200));
      const text = answer.isDone
        ? formatProblem({ what: `the step ${step.name} printed an unexpected result`, found })
        : formatNotRun(step.name, out + err);
      // The engine counts the step as done, by its exit code.
      const again = `${commandsFor(access.stack).up} --replace ${quoteShellWord(urn)}`;
      throw createPlainError(printableLines(`${address}: ${text}\n  Then: ${again}`));
    });
  const proved: pulumi.Input<pulumi.Resource> = isPreview ? command : stdout.apply(() => command);
  return {
    command,
    /** The step's output. Secret, because the step's inputs hold the login. */
    stdout,
    /** Use this in `dependsOn` of later resources. It rejects unless the step itself reported that it is done. */
    proved,
  };
}

/** Long, because most steps end sooner and a firewall may count connections. */
const pollIntervalMs = 5000;

/** Returns an output's promise, which its type does not expose. */
const getPromise = <T>(output: pulumi.Output<T>) => (output as unknown as { promise(): Promise<T> }).promise();

/** Prints the lines that a running step writes into a file. The plugin's own log would pass terminal escapes on. */
export function createStepLines(
  name: string,
  step: Step,
  access: HostAccess,
  open: (host: HostLogin, library: string) => Pick<RootHost, "stream" | "close"> = openRoot,
) {
  const shown = new Set<string>();
  let row: pulumi.Resource | undefined;
  let isAtWork = false;
  let root: Pick<RootHost, "close"> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const show = (text: string) => {
    for (const line of row ? printableLines(text).split("\n") : []) {
      if (line.trim() === "" || shown.has(line)) continue;
      shown.add(line);
      void createStatusLine(line, row);
    }
  };
  const follow = (to: HostLogin): void => {
    const host = open(to, readStepOutputLibrary());
    const later = () => {
      if (isAtWork) timer = setTimeout(read, pollIntervalMs);
    };
    // Lines that can't be read now are printed at the step's end.
    const read = () => readLines(host, step, show).then(later, later);
    root = host;
    later();
  };
  const begins = new pulumi.ResourceHook(`${name}-begins`, async ({ urn }) => {
    const host = await getPromise(createRootAccess(access));
    await access.loginCheck.check(host.ssh).catch(({ message }: Error) => failHook(urn, message));
    if (step.quiet) return;
    // The hook's URN, because the resource's own has no value before the resource is created.
    row = { urn: pulumi.output(urn) } as pulumi.Resource;
    await step.before?.(host, show);
    isAtWork = true;
    if (!step.readsOnly) follow(host);
  });
  const fails = new pulumi.ErrorHook(name, async ({ urn, errors: [newest = ""] }) =>
    failHook(urn, formatStepError(await getPromise(createStepInput(step, access)), newest, step.quiet)),
  );
  return {
    /** Hooks of the step's resource: one checks the login and follows the output, one cleans the plugin's error. */
    hooks: { beforeCreate: [begins], beforeUpdate: [begins], onError: [fails] },
    /** Prints the lines of a finished step that were not printed while it ran. */
    show,
    end: () => {
      isAtWork = false;
      clearTimeout(timer);
      root?.close();
    },
  };
}

async function readLines(root: Pick<RootHost, "stream">, { name, limitSeconds }: Step, show: (text: string) => void) {
  const { stdout, done } = await root.stream("step_output", markOwn({ step: name }), { limitSeconds });
  let rest = "";
  stdout.setEncoding("utf8").on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()?.slice(-1000) ?? "";
    show(lines.join("\n"));
  });
  await done;
}
