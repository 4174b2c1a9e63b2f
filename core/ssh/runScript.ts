import { printable, printableLines } from "../util/printable";
import { withTimeout } from "../util/withTimeout";
import { findOtherUser, formatNotRun, readAnswer } from "./answer";
import type { Connection } from "./connection";

export interface ScriptError extends Error {
  printed: readonly string[];
}

/**
 * Runs a script on a host as the login user (it may become root), and returns the printed lines. The script goes
 * through standard input, as it may hold a password; `name` is shown in process lists and logs. Throws ScriptError in
 * the script's own words if it failed, did not run, or reached the timeout.
 */
export async function runScript(
  connection: Connection,
  name: string,
  script: string,
  timeoutMs: number,
): Promise<readonly string[]> {
  // The timeout does not include the login, which has its own.
  const session = await connection.session();
  const running = session.run(`bash -euo pipefail -s ${name}`, script);
  const result = await withTimeout(running, timeoutMs, `the script did not end within ${timeoutMs / 1000} s`);
  const { exitCode } = result;
  const { isDone, stdout, stderr } = readAnswer(script, result);
  const printed = stdout
    .split("\n")
    .map(printable)
    .filter((line) => line.trim() !== "");
  if (exitCode === 0 && isDone) return printed;
  const hasRun = exitCode !== 0 && findOtherUser(result.stdout) === undefined;
  const said = hasRun ? stderr : formatNotRun(name, result.stdout + result.stderr);
  const reason = printableLines(said).trim() || `the script ended with ${exitCode ?? "the connection"}`;
  throw Object.assign(new Error(reason), { printed });
}
