import { printable, printableLines } from "../util/printable";
import { withTimeout } from "../util/withTimeout";
import type { Connection } from "./connection";

/** What an error of a script carries: the lines that it printed before. */
export interface ScriptError extends Error {
  printed: readonly string[];
}

/**
 * Runs a script on a host, as the login user or as what the script makes of it (core/steps/step.ts).
 *
 * @param name what a process list and a log show
 * @param script the text for `bash -euo pipefail -s`: its standard input, as it may hold a password
 * @param limit milliseconds
 * @returns the lines that it printed
 * @throws ScriptError in its own words, where it failed or has no end
 */
export async function runScript(
  connection: Connection,
  name: string,
  script: string,
  limit: number,
): Promise<readonly string[]> {
  const running = connection.session().then((session) => session.run(`bash -euo pipefail -s ${name}`, script));
  const { exitCode, stdout, stderr } = await withTimeout(running, limit, `no end within ${limit / 1000} s`);
  const printed = stdout
    .split("\n")
    .map(printable)
    .filter((line) => line.trim() !== "");
  if (exitCode === 0) return printed;
  const reason = printableLines(stderr).trim() || `it ended with ${exitCode ?? "the connection"}`;
  throw Object.assign(new Error(reason), { printed });
}
