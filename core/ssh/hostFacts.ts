import type { Connection } from "./connection";
import { runScript, type ScriptError } from "./runScript";

const limit = 30_000;

/**
 * What a host says of itself, a line each: service, peers, disk, memory, the latest log lines without secrets.
 *
 * @param script what `core/steps/facts.sh` became: the text for `bash -euo pipefail -s` as the login user
 * @returns one line with the reason where it can't be had; never throws
 */
export async function readHostFacts(connection: Connection, script: string): Promise<readonly string[]> {
  try {
    return await runScript(connection, "facts", script, limit);
  } catch (error) {
    const { message, printed = [] } = error as Partial<ScriptError>;
    return [...printed, ...unseen(message ?? String(error))];
  }
}

function unseen(reason: string): string[] {
  return `the host can't be looked at: ${reason}`.split("\n").slice(0, 5);
}
