import { spawn } from "node:child_process";
import readline from "node:readline";

const KEPT_LINES = 20;

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Time after which the tool is ended and counts as failed. */
  timeoutMs?: number;
  onLine?: (line: string) => void;
}

/** Runs a tool and returns its stdout. An error contains the last lines of its output. */
export async function run(tool: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const child = spawn(tool, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    timeout: options.timeoutMs,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stdout: string[] = [];
  const last: string[] = [];
  const follow = (line: string): void => {
    if (line.trim()) options.onLine?.(line);
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
  };
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    stdout.push(line);
    follow(line);
  });
  readline.createInterface({ input: child.stderr }).on("line", follow);

  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...end) => resolve(end));
  });
  if (code === 0) return stdout.join("\n");
  const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
  throw new Error(`${tool} ${args[0] ?? ""} ${how}:\n${last.join("\n")}`);
}
