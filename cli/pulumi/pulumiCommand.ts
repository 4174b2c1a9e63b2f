import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { text } from "node:stream/consumers";
import { anyStack, commandsFor } from "../../core/util/commands.ts";
import { formatProblem, ProblemError } from "../../core/util/problem.ts";
import { askSecret, isTerminal } from "../terminal/prompts.ts";
import { findForeignState } from "./foreignState.ts";

export type ProcessResult = Awaited<ReturnType<typeof runQuietly>>;

/** The typed pass phrases, newest first. Each is tried for the next stack, because stacks often share one. */
const typedPassphrases: string[] = [];

/** Read once, because the backend's URL belongs to the login, not to a stack. */
let backendAddress: Promise<string | undefined> | undefined;

/** Holds a typed pass phrase, for several stacks that have the same one. */
export type SharedPassphrase = { passphrase?: Promise<string> };

export type Pulumi = ReturnType<typeof createPulumi>;

/** Returns the functions that run `pulumi` for one stack, in the operator's working directory. */
export function createPulumi(stack: string, asked: SharedPassphrase = {}) {
  const runWith = (passphrase: string | undefined, args: readonly string[], input?: string) => {
    const env = { ...createEnvironment(passphrase), PULUMI_SKIP_UPDATE_CHECK: "true" };
    return runQuietly([...args, "--non-interactive", "--color", "never"], env, input);
  };
  const runOnStack = async (args: readonly string[], input?: string) =>
    runWith(await asked.passphrase, [...args, "-s", stack], input);
  const askPassphrase = (args: readonly string[]) =>
    findPassphrase(
      typedPassphrases,
      // A lock, or another reason to fail, says nothing against the pass phrase.
      async (typed) => !wrongPassphrase.test((await runWith(typed, [...args, "-s", stack])).stderr),
      () => askSecret(`Pass phrase of stack ${stack}:`),
    );
  /** Reads the state before a run of the engine, which does what the state says. @throws Refusal if it is foreign */
  const checkState = async ([command = ""]: readonly string[]) => {
    if (!["up", "destroy", "refresh"].includes(command)) return;
    const problem = findForeignState(stack, await engine.read(["stack", "export"]));
    if (problem) throw new ProblemError(problem);
  };
  const engine = {
    /** Runs pulumi and captures the output. Asks for a missing pass phrase. @throws Refusal if pulumi is not installed */
    run: async (args: readonly string[], input?: string): Promise<ProcessResult> => {
      await checkState(args);
      const ran = await runOnStack(args, input);
      // Pulumi itself can't ask for it, because its output is captured.
      const isPassphraseMissing = ran.exitCode !== 0 && missingPassphrase.test(ran.stderr);
      if (!isPassphraseMissing || !isTerminal()) return ran;
      asked.passphrase ??= askPassphrase(args);
      return runOnStack(args, input);
    },
    /** Runs pulumi like `run` and returns its output. @throws Refusal with pulumi's error */
    read: async (args: readonly string[], input?: string): Promise<string> => {
      const { exitCode, stdout, stderr } = await engine.run(args, input);
      if (exitCode !== 0) throw new ProblemError({ what: formatPulumiError(args.join(" "), stack, stderr) });
      return stdout;
    },
    /** Lists the names of the project's stacks. @throws Refusal with pulumi's error */
    listStacks: async (): Promise<readonly string[]> => {
      const { exitCode, stdout, stderr } = await runWith(undefined, ["stack", "ls", "--json"]);
      if (exitCode !== 0) throw new ProblemError({ what: formatPulumiError("stack ls", stack, stderr) });
      return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    },
    readBackend: (): Promise<string | undefined> => {
      // The variable takes precedence over the login and the project's setting.
      const { PULUMI_BACKEND_URL: configured } = process.env;
      if (configured) return Promise.resolve(configured);
      backendAddress ??= (async () => {
        const { exitCode, stdout } = await runWith(undefined, ["whoami", "--verbose", "--json"]);
        if (exitCode !== 0) return undefined;
        const { url } = JSON.parse(stdout) as { url?: unknown };
        return typeof url === "string" ? url : undefined;
      })();
      return backendAddress;
    },
    /** Runs pulumi in this terminal. @returns its exit code */
    handOver: async (args: readonly string[]): Promise<number> => {
      // If the state has secrets, asks for the pass phrase here: pulumi would ask in each run, without the stack's name.
      if (isTerminal() && asked.passphrase === undefined)
        await engine.read(["stack", "output", "--json", "--show-secrets"]);
      await checkState(args);
      const env = createEnvironment(await asked.passphrase);
      return runInTerminal([...args.slice(0, 1), "-s", stack, ...args.slice(1)], env);
    },
  };
  return engine;
}

/** Returns a typed pass phrase that opens the stack, else asks, and adds the answer to the typed ones. */
export async function findPassphrase(
  typed: string[],
  opens: (passphrase: string) => Promise<boolean>,
  ask: () => Promise<string>,
): Promise<string> {
  for (const passphrase of typed) if (await opens(passphrase)) return passphrase;
  const answer = await ask();
  typed.unshift(answer);
  return answer;
}

const pulumiMissing = new ProblemError({
  what: "pulumi is not found in PATH",
  needed: "install Pulumi (https://www.pulumi.com/docs/install/), and check with: pulumi version",
});

const missingPassphrase = /passphrase must be set/;
const wrongPassphrase = /incorrect passphrase/;

const createEnvironment = (passphrase: string | undefined): NodeJS.ProcessEnv =>
  passphrase === undefined ? process.env : { ...process.env, PULUMI_CONFIG_PASSPHRASE: passphrase };

async function awaitEnd(child: ChildProcess): Promise<number> {
  const [code, signal] = (await once(child, "close").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? pulumiMissing : error;
  })) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

async function runQuietly(args: readonly string[], env: NodeJS.ProcessEnv, input?: string) {
  const child = spawn("pulumi", args, { env, stdio: ["pipe", "pipe", "pipe"] });
  // Ignores errors of the input: if the child ends before it reads the input, its exit code reports the problem.
  child.stdin.on("error", () => undefined).end(input);
  const [exitCode, stdout, stderr] = await Promise.all([awaitEnd(child), text(child.stdout), text(child.stderr)]);
  return { exitCode, stdout, stderr };
}

async function runInTerminal(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn("pulumi", args, { env, stdio: "inherit" });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, forward);
  // Does not forward Ctrl-C: pulumi gets it from the terminal, and would abort at once on a second one.
  const own = process.listeners("SIGINT");
  process.removeAllListeners("SIGINT").on("SIGINT", () => undefined);
  try {
    return await awaitEnd(child);
  } finally {
    for (const signal of ["SIGTERM", "SIGHUP"]) process.off(signal, forward);
    process.removeAllListeners("SIGINT");
    for (const listener of own) process.on("SIGINT", listener);
  }
}

export function formatPulumiError(command: string, stack: string, stderr: string): string {
  const variables = "set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE";
  const find = `name a stack that \`${anyStack.list}\` lists (backend: ${anyStack.whoami}), or make it: ${commandsFor(stack).init}`;
  const type = `type the pass phrase that was chosen when the stack was made, or ${variables}`;
  const notLoggedIn = /PULUMI_ACCESS_TOKEN must be set|not (yet )?logged in|pulumi login/;
  const login = `log in to the backend with your stacks: ${anyStack.login}`;
  const problems: readonly (readonly [pattern: RegExp, what: string, needed: string])[] = [
    [/no stack named/, `there is no stack ${stack} here`, find],
    [wrongPassphrase, `the pass phrase does not open stack ${stack}`, type],
    [missingPassphrase, `stack ${stack} needs its pass phrase`, `run the command in a terminal, or ${variables}`],
    [/no Pulumi\.yaml/, "there is no Pulumi.yaml here", "change to the program's directory (cd pillar-host)"],
    [notLoggedIn, "pulumi is not logged in to a backend", login],
  ];
  const [, what, needed] = problems.find(([pattern]) => pattern.test(stderr)) ?? [];
  if (what !== undefined) return formatProblem({ what, needed });
  const said = stderr.trim().replace(/^error: /gm, "");
  return `pulumi ${command} failed${said === "" ? "" : `: ${said}`}`;
}
