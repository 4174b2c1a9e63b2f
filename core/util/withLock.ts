import fs from "node:fs";
import path from "node:path";
import lockfile from "proper-lockfile";
import type { Clock } from "./clock";
import { commandsFor } from "./commands";
import { formatProblem } from "./problem";

type LockDeps = Pick<Clock, "ticks" | "sleep">;

interface LockScope {
  readonly stack: string;
  readonly pillar: string;
  readonly doing?: "destroy" | "backup";
}

const timeoutMs = 60_000;
const retryDelayMs = 500;

/**
 * Lets only one destroy, and one `backup` command, of a stack work at a time on this machine. Needed because the
 * provider process of a killed destroy works on for some seconds. The lock of a killed process expires after ten
 * seconds. @throws if the directory can't be written, or the lock is not free within a minute
 */
export async function withLock<T>(
  directory: string,
  { stack, pillar, doing = "destroy" }: LockScope,
  deps: LockDeps,
  work: () => Promise<T>,
): Promise<T> {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `.${doing}-${stack}-${pillar}.lock`);
  const end = deps.ticks() + timeoutMs;
  const claim = async (): Promise<() => Promise<void>> => {
    // Called if the machine slept and so lost the lock. Lets the work go on; the library's default ends the process.
    const onCompromised = () => undefined;
    try {
      return await lockfile.lock(directory, { lockfilePath: file, realpath: false, onCompromised });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
    }
    if (deps.ticks() >= end)
      throw new Error(
        formatProblem({
          what: `a ${doing} of ${stack} already runs on this machine; nothing was changed`,
          found: `${file}, a lock that another process holds`,
          needed: "wait until that run has finished",
          next: `Then: ${doing === "destroy" ? commandsFor(stack).destroy : commandsFor(stack).backup}`,
        }),
      );
    await deps.sleep(retryDelayMs);
    return claim();
  };
  const release = await claim();
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
