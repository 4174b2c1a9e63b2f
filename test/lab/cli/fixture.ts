import { execa } from "execa";
import type { LabStack } from "../../../lab/stack/stack";

/** What a run of the tool left: `out` is both streams together. */
export interface Told {
  readonly exitCode: number;
  readonly out: string;
}

function running(
  stack: LabStack,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: "ignore" | "pipe" = "ignore",
) {
  const [command = "", ...args] = stack.lab.atOperator(argv);
  const all = { ...stack.env, ...env };
  return execa(command, args, { cwd: stack.programDirectory, env: all, all: true, reject: false, stdin });
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

/**
 * `pillar-host` in a terminal of its own.
 * @param seen what the screen has to show before somebody presses Ctrl-C; three minutes without it, and they do so too
 */
export async function cliInTerminal(stack: LabStack, args: readonly string[], seen?: string): Promise<Told> {
  const line = `stty cols 100 rows 30; node cli/bin.js ${args.join(" ")}`;
  const script = running(stack, ["script", "-qec", line, "/dev/null"], { TERM: "xterm" }, seen ? "pipe" : "ignore");
  if (seen) {
    let screen = "";
    const press = () => script.stdin?.write("\u0003");
    const enough = setTimeout(press, 180_000);
    script.stdout?.on("data", (data: Buffer) => {
      const before = screen.includes(seen);
      screen += data.toString();
      if (!before && screen.includes(seen)) press();
    });
    void script.finally(() => clearTimeout(enough));
  }
  const { exitCode, all } = await script;
  return { exitCode: exitCode ?? -1, out: all };
}
