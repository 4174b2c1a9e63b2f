import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { type OwnProcess, ownProcess } from "../../../lab/hosts/machine";
import type { LabStack } from "../../../lab/stack";

/** What a run of the tool left: `out` is both streams together. */
export interface Told {
  readonly exitCode: number;
  readonly out: string;
}

function running(stack: LabStack, argv: readonly string[], env: Readonly<Record<string, string>>) {
  const [command = "", ...args] = stack.lab.atOperator(argv);
  const all = { ...stack.env, ...env };
  return execa(command, args, { cwd: stack.programDirectory, env: all, all: true, reject: false, stdin: "ignore" });
}

/** `pillar-host` as an operator runs it, without a terminal. */
export async function cli(
  stack: LabStack,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const { exitCode, all } = await running(stack, ["node", "cli/bin.js", ...args], env);
  return { exitCode: exitCode ?? -1, out: all };
}

/** The same in a terminal of its own. */
export async function cliInTerminal(stack: LabStack, args: readonly string[]): Promise<Told> {
  const line = `stty cols 100 rows 30; node cli/bin.js ${args.join(" ")}`;
  const { exitCode, all } = await running(stack, ["script", "-qec", line, "/dev/null"], { TERM: "xterm" });
  return { exitCode: exitCode ?? -1, out: all };
}

/** A `pulumi up` in the background. */
export interface Up {
  readonly pid: number;
  readonly ended: Promise<number>;
  /** What it has printed. */
  output(): Promise<string>;
  /** Waits until it has printed something. */
  says(text: string): Promise<void>;
  /** Kills the engine, and names what it leaves behind. */
  kill(): Promise<OwnProcess[]>;
}

export function startUp(stack: LabStack): Up {
  const log = join(stack.dir, `up-${Date.now()}.log`);
  const engine = stack.pulumi(["up", "--yes", "--skip-preview"], {
    stdin: "ignore",
    stdout: { file: log },
    stderr: "ignore",
    reject: false,
  });
  const pid = engine.pid ?? 0;
  const ended = engine.then(({ exitCode }) => exitCode ?? -1);
  const output = () => readFile(log, "utf8").catch(() => "");
  return {
    pid,
    ended,
    output,
    says: async (text) => {
      const deadline = Date.now() + 180_000;
      while (!(await output()).includes(text)) {
        if (Date.now() > deadline) throw new Error(`pulumi up did not say ${text}:\n${await output()}`);
        await sleep(200);
      }
    },
    kill: async () => {
      const left = (await Promise.all((await descendants(pid)).map(ownProcess))).filter((own) => own !== undefined);
      engine.kill("SIGKILL");
      await ended;
      return left;
    },
  };
}

/** An engine that is killed leaves its language host and plugins behind. */
async function descendants(pid: number): Promise<number[]> {
  const { stdout } = await execa("ps", ["-eo", "pid=,ppid="]);
  const pairs = stdout.split("\n").map((line) => line.trim().split(/ +/).map(Number));
  const below = (parent: number): number[] =>
    pairs.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}
