import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import lockfile from "proper-lockfile";
import { commandsFor } from "../core/util/commands";
import { homeDirectory } from "../core/util/resolvePath";
import { clearStale } from "./clearStale";
import { createEngine } from "./engine";
import { processSeen } from "./processes";
import { CliRefusal } from "./refusal";
import { upHere } from "./stackFiles";

/**
 * Goes on with a stack whose run was killed: clears lock and cut-off creations where they are stale, then runs
 * `pulumi up` in this terminal. Killed itself, at any point, it is simply run again.
 *
 * @returns pulumi's exit code
 * @throws Refusal where a lock or a creation is not its to clear
 */
export async function resume(
  stack: string,
  args: readonly string[],
  options: { lockIsStale?: boolean },
): Promise<number> {
  const engine = createEngine(stack);
  return alone(stack, async () => {
    const cleared = await clearStale(stack, engine, {
      lockIsStale: options.lockIsStale === true,
      here: hostname(),
      processSeen,
      say: (line) => console.log(line),
    });
    if (!cleared) console.log(`nothing to clear: ${stack} is not locked, and no creation was cut off`);
    return upHere(stack, args, engine);
  });
}

/** Milliseconds after which a resume that was killed stands in nobody's way. */
const stale = 10_000;

/** Of two at once, the second must not clear the lock that the first one's `pulumi up` has just taken. */
async function alone<T>(stack: string, work: () => Promise<T>): Promise<T> {
  const home = process.env.PULUMI_HOME ?? join(homeDirectory(), ".pulumi");
  await mkdir(home, { recursive: true });
  const lockfilePath = join(home, `pillar-host-resume-${encodeURIComponent(stack)}.lock`);
  const retries = { retries: stale / 1000 + 2, factor: 1, minTimeout: 1000 };
  const release = await lockfile
    .lock(home, { lockfilePath, stale, retries, onCompromised: () => undefined })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ELOCKED") throw error;
      throw new CliRefusal(
        `another resume of ${stack} is at work on this machine\n  needed: its end; ${commandsFor(stack).status()} shows how far it is`,
      );
    });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
