import type { TerminalSize } from "../../../lab/operator/screen.ts";
import { inTerminal, type Typed, typeCommand } from "../../../lab/operator/typist.ts";
import type { LabStack } from "../../../lab/stack/stack.ts";

/** Outcome of a run of the tool: `output` is both streams together. */
export interface Told {
  readonly exitCode: number;
  readonly output: string;
}

function running(
  stack: LabStack,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: "ignore" | "pipe" = "ignore",
) {
  const all = { ...stack.warmEnv, ...env };
  return stack.lab.run(argv, { cwd: stack.programDirectory, env: all, all: true, reject: false, stdin });
}

/** Runs `pillar-host` as an operator does, without a terminal. */
export async function cli(
  stack: LabStack,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const { exitCode, all } = await running(stack, ["node", "cli/bin.cjs", ...args], env);
  return { exitCode: exitCode ?? -1, output: all };
}

/** Runs a printed command in a shell where another stack is selected, and answers Pulumi's question with yes. */
export async function typedAsPrinted(stack: LabStack, line: string): Promise<Told> {
  const env = { PULUMI_STACK: "other", PULUMI_SKIP_CONFIRMATIONS: "true" };
  const { exitCode, all } = await running(stack, ["bash", "-c", line], env);
  return { exitCode: exitCode ?? -1, output: all };
}

/** Types a printed command in a terminal of this size, as {@link typedAsPrinted}. */
export function typedInTerminal(stack: LabStack, line: string, size: TerminalSize): Promise<Typed> {
  const env = {
    ...process.env,
    ...stack.warmEnv,
    PULUMI_STACK: "other",
    PULUMI_SKIP_CONFIRMATIONS: "true",
    TERM: "xterm",
  };
  return typeCommand(stack.lab.atOperator(inTerminal(line, size)), {
    cwd: stack.programDirectory,
    env,
    size,
    answers: [],
  });
}

/**
 * Runs `pillar-host` in its own terminal.
 * @param seen text after which `act` is called, at most three minutes later; `act` presses Ctrl-C by default
 */
export async function cliInTerminal(
  stack: LabStack,
  args: readonly string[],
  seen: string,
  act?: () => void,
): Promise<Told> {
  const line = `stty cols 100 rows 30; node cli/bin.cjs ${args.join(" ")}`;
  const script = running(
    stack,
    ["script", "-qec", line, "/dev/null"],
    { TERM: "xterm", PILLAR_LAB_RESIDENT: "" },
    "pipe",
  );
  let screen = "";
  const onSeen = act ?? (() => void script.stdin?.write("\u0003"));
  const enough = setTimeout(onSeen, 180_000);
  script.stdout?.on("data", (data: Buffer) => {
    const before = screen.includes(seen);
    screen += data.toString();
    if (!before && screen.includes(seen)) onSeen();
  });
  const { exitCode, all } = await script;
  clearTimeout(enough);
  return { exitCode: exitCode ?? -1, output: all };
}
