import { spawn } from "node:child_process";
import { constants } from "node:os";
import { formatProblem } from "../../core/util/problem";
import { askSecret } from "../terminal/prompts";
import { CliRefusal } from "../terminal/refusal";
import { formatPulumiError, isPassphraseMissing } from "./pulumiErrors";

export interface ProcessResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `pulumi` for one stack, in the operator's working directory. */
export interface Pulumi {
  /** Runs pulumi and captures the output. Asks for a missing pass phrase. @throws Refusal if pulumi is not installed */
  run(args: readonly string[], input?: string): Promise<ProcessResult>;
  /** Runs pulumi like `run` and returns its output. @throws Refusal with pulumi's error */
  read(args: readonly string[], input?: string): Promise<string>;
  /** Lists the names of the project's stacks. @throws Refusal with pulumi's error */
  listStacks(): Promise<readonly string[]>;
  /** Reads the URL of the backend; undefined if pulumi does not report it. */
  readBackend(): Promise<string | undefined>;
  /** Runs pulumi in this terminal. @returns its exit code */
  handOver(args: readonly string[]): Promise<number>;
}

/** The typed pass phrases, newest first. Each is tried for the next stack, because stacks often share one. */
const typedPassphrases: string[] = [];

/** Read once, because the backend's URL belongs to the login, not to a stack. */
let backendAddress: Promise<string | undefined> | undefined;

/** Holds a typed pass phrase, for several stacks that have the same one. */
export interface SharedPassphrase {
  passphrase?: Promise<string>;
}

export function createPulumi(stack: string, asked: SharedPassphrase = {}): Pulumi {
  const environment = async (passphrase = asked.passphrase) => ({
    ...process.env,
    ...(passphrase === undefined ? {} : { PULUMI_CONFIG_PASSPHRASE: await passphrase }),
  });
  const quietly = async (args: readonly string[], input?: string, passphrase?: Promise<string>) =>
    runQuietly(
      [...args, "--non-interactive", "--color", "never"],
      { ...(await environment(passphrase)), PULUMI_SKIP_UPDATE_CHECK: "true" },
      input,
    );
  const run = (args: readonly string[], input?: string) => quietly([...args, "-s", stack], input);
  // Passes the candidate itself: awaiting `asked.passphrase`, which is pending until this test ends, would deadlock.
  const opens = async (args: readonly string[], one: string) =>
    (await quietly([...args, "-s", stack], undefined, Promise.resolve(one))).exitCode === 0;
  const phrase = (args: readonly string[]) =>
    findPassphrase(
      typedPassphrases,
      (one) => opens(args, one),
      () => askSecret(`Pass phrase of stack ${stack}:`),
    );
  const engine: Pulumi = {
    run: async (args, input) => {
      const ran = await run(args, input);
      if (ran.exitCode === 0 || !isPassphraseMissing(ran.stderr) || !process.stdin.isTTY) return ran;
      asked.passphrase ??= phrase(args);
      return run(args, input);
    },
    read: async (args, input) => {
      const { exitCode, stdout, stderr } = await engine.run(args, input);
      if (exitCode !== 0) throw new CliRefusal(formatPulumiError(args.join(" "), stack, stderr));
      return stdout;
    },
    listStacks: async () => {
      const { exitCode, stdout, stderr } = await quietly(["stack", "ls", "--json"]);
      if (exitCode !== 0) throw new CliRefusal(formatPulumiError("stack ls", stack, stderr));
      return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    },
    readBackend: () => {
      // The variable takes precedence over the login and the project's setting.
      const { PULUMI_BACKEND_URL: configured } = process.env;
      if (configured) return Promise.resolve(configured);
      backendAddress ??= (async () => {
        const { exitCode, stdout } = await quietly(["whoami", "--verbose", "--json"]);
        if (exitCode !== 0) return undefined;
        const { url } = JSON.parse(stdout) as { url?: unknown };
        return typeof url === "string" ? url : undefined;
      })();
      return backendAddress;
    },
    handOver: async (args) => {
      // If the state has secrets, asks for the pass phrase here: pulumi would ask in each run, without the stack's name.
      if (process.stdin.isTTY && asked.passphrase === undefined)
        await engine.read(["stack", "output", "--json", "--show-secrets"]);
      return runInTerminal([...args.slice(0, 1), "-s", stack, ...args.slice(1)], await environment());
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

const pulumiMissing = new CliRefusal(
  formatProblem({
    what: "pulumi is not found in PATH",
    needed: "install Pulumi (https://www.pulumi.com/docs/install/), and check with: pulumi version",
  }),
);

function toStartError(error: NodeJS.ErrnoException): Error {
  return error.code === "ENOENT" ? pulumiMissing : error;
}

function runQuietly(args: readonly string[], env: NodeJS.ProcessEnv, input?: string): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const child = spawn("pulumi", args, { env, stdio: ["pipe", "pipe", "pipe"] });
    // Ignores errors of the input: if the child ends before it reads the input, its exit code reports the problem.
    child.stdin.on("error", () => undefined).end(input);
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (piece: string) => {
        printed[name] += piece;
      });
    }
    child.on("error", (error) => reject(toStartError(error)));
    child.on("close", (code, signal) => resolve({ exitCode: toExitCode(code, signal), ...printed }));
  });
}

function runInTerminal(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("pulumi", args, { env, stdio: "inherit" });
    // Does not forward Ctrl-C: pulumi gets it from the terminal, and would abort at once on a second one.
    const ignore = () => undefined;
    const forward = (signal: NodeJS.Signals) => void child.kill(signal);
    process.on("SIGINT", ignore);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, forward);
    const release = () => {
      process.off("SIGINT", ignore);
      for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, forward);
    };
    child.on("error", (error) => {
      release();
      reject(toStartError(error));
    });
    child.on("close", (code, signal) => {
      release();
      resolve(toExitCode(code, signal));
    });
  });
}

function toExitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}
