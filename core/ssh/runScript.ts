import { printable, printableLines } from "../util/printable";
import { withTimeout } from "../util/withTimeout";
import { notRunText, otherUser, readAnswer } from "./answer";
import type { Connection } from "./connection";

/** What an error of a script carries: the lines that it printed before. */
export interface ScriptError extends Error {
  printed: readonly string[];
}

/**
 * Runs a script on a host, as the login user or as what the script makes of it (core/steps/step.ts).
 *
 * @param name what a process list and a log show
 * @param script an envelope, for `bash -euo pipefail -s`: its standard input, as it may hold a password
 * @param limit milliseconds
 * @returns the lines that it printed
 * @throws ScriptError in its own words, where it failed, was not run, or has no end
 */
export async function runScript(
  connection: Connection,
  name: string,
  script: string,
  limit: number,
): Promise<readonly string[]> {
  // A login has limits of its own, and may be slow.
  const session = await connection.session();
  const running = session.run(`bash -euo pipefail -s ${name}`, script);
  const result = await withTimeout(running, limit, `no end within ${limit / 1000} s`);
  const { exitCode } = result;
  const { isDone, stdout, stderr } = readAnswer(script, result);
  const printed = stdout
    .split("\n")
    .map(printable)
    .filter((line) => line.trim() !== "");
  if (exitCode === 0 && isDone) return printed;
  const isTold = exitCode !== 0 && otherUser(result.stdout) === undefined;
  const said = isTold ? stderr : notRunText(name, result.stdout + result.stderr);
  const reason = printableLines(said).trim() || `it ended with ${exitCode ?? "the connection"}`;
  throw Object.assign(new Error(reason), { printed });
}
