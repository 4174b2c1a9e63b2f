import type { Connection } from "./connection";

const limit = 30_000;

/**
 * What a host says of itself, a line each: service, peers, disk, memory, the latest log lines without secrets.
 *
 * @param script what `components/scripts/facts.sh` became: the text for `bash -euo pipefail -s` as the login user
 * @returns one line with the reason where it can't be had; never throws
 */
export async function readHostFacts(connection: Connection, script: string): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limit / 1000} s`)), limit);
  });
  try {
    const looking = connection.session().then((session) => session.run("bash -euo pipefail -s facts", script));
    const { exitCode, stdout, stderr } = await Promise.race([looking, late]);
    const lines = stdout.split("\n").filter((line) => line.trim() !== "");
    if (exitCode === 0) return lines;
    return [...lines, ...unseen(stderr.trim() || `its facts ended with ${exitCode ?? "the connection"}`)];
  } catch (error) {
    return unseen(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

function unseen(reason: string): string[] {
  return `the host can't be looked at: ${reason}`.split("\n").slice(0, 5);
}
