import { withTimeout } from "../util/withTimeout";
import type { Connection } from "./connection";

const limit = 30_000;

/**
 * What a host says of itself, a line each: service, peers, disk, memory, the latest log lines without secrets.
 *
 * @param script what `core/steps/facts.sh` became: the text for `bash -euo pipefail -s` as the login user
 * @returns one line with the reason where it can't be had; never throws
 */
export async function readHostFacts(connection: Connection, script: string): Promise<readonly string[]> {
  try {
    const looking = connection.session().then((session) => session.run("bash -euo pipefail -s facts", script));
    const { exitCode, stdout, stderr } = await withTimeout(looking, limit, `no answer within ${limit / 1000} s`);
    const lines = stdout.split("\n").filter((line) => line.trim() !== "");
    if (exitCode === 0) return lines;
    return [...lines, ...unseen(stderr.trim() || `its facts ended with ${exitCode ?? "the connection"}`)];
  } catch (error) {
    return unseen(error instanceof Error ? error.message : String(error));
  }
}

function unseen(reason: string): string[] {
  return `the host can't be looked at: ${reason}`.split("\n").slice(0, 5);
}
