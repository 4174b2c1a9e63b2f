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
 * Allows one destroy, and one backup on request, of a stack at a time on this machine. The provider of a killed engine
 * works on for some seconds, and the next destroy would take the same backup. The lock of a killed process expires
 * after ten seconds. @throws if the directory can't be written, or the other work does not end in time
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
    // A machine that slept loses its lock. The work continues, because the library's default would end the process.
    const onCompromised = () => undefined;
    try {
      return await lockfile.lock(directory, { lockfilePath: file, realpath: false, onCompromised });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
    }
    if (deps.ticks() >= end)
      throw new Error(
        formatProblem({
          what: `another ${doing} of ${stack} is active on this machine; nothing was changed`,
          found: `${file}, which a process keeps fresh`,
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
