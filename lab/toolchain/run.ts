import readline from "node:readline";
import { type ExecaError, execa } from "execa";

const keptLines = 20;

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time after which the tool is ended and counts as failed. */
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
}

/** Runs a tool and returns its stdout. An error contains the last lines of its output. */
export async function run(tool: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { timeoutMs: timeout, onLine, ...more } = options;
  const child = execa(tool, args, { ...more, timeout, stdin: "ignore", all: true });
  if (onLine) readline.createInterface({ input: child.all }).on("line", (line) => line.trim() && onLine(line));
  const { stdout } = await child.catch(({ shortMessage, all }: ExecaError) => {
    throw new Error(`${shortMessage}\n${String(all).split("\n").slice(-keptLines).join("\n")}`);
  });
  return stdout;
}
