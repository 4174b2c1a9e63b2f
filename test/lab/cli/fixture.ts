import { execa } from "execa";
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

/** A command as it was printed, in a shell where another stack is selected. Pulumi's question is answered with yes. */
export async function typedAsPrinted(stack: LabStack, line: string): Promise<Told> {
  const env = { PULUMI_STACK: "other", PULUMI_SKIP_CONFIRMATIONS: "true" };
  const { exitCode, all } = await running(stack, ["bash", "-c", line], env);
  return { exitCode: exitCode ?? -1, out: all };
}

/** `pillar-host` in a terminal of its own. @param seconds after which somebody presses Ctrl-C */
export async function cliInTerminal(stack: LabStack, args: readonly string[], seconds?: number): Promise<Told> {
  const interrupt = seconds === undefined ? "" : `timeout --foreground --preserve-status -s INT ${seconds} `;
  const line = `stty cols 100 rows 30; ${interrupt}node cli/bin.js ${args.join(" ")}`;
  const { exitCode, all } = await running(stack, ["script", "-qec", line, "/dev/null"], { TERM: "xterm" });
  return { exitCode: exitCode ?? -1, out: all };
}
