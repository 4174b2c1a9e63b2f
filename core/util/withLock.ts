import fs from "node:fs";
import path from "node:path";
import lockfile from "proper-lockfile";
import { commandsFor } from "./commands";
import { createOperatorError, type Problem } from "./problem";

interface LockScope {
  readonly stack: string;
  readonly pillar: string;
  readonly doing?: "destroy" | "backup" | "resume";
}

const retryDelayMs = 500;

/**
 * Lets only one destroy, `backup` or `resume` of a stack work at a time on this machine. Needed because the
 * provider process of a killed destroy works on for some seconds. @throws as {@link withFileLock}
 */
export function withLock<T>(
  directory: string,
  { stack, pillar, doing = "destroy" }: LockScope,
  work: () => Promise<T>,
  retries?: number,
): Promise<T> {
  const busy = {
    what: `a ${doing} of ${stack} already runs on this machine; nothing was changed`,
    needed: "wait until that run has finished",
    next: `Then: ${doing === "resume" ? commandsFor(stack).resume() : commandsFor(stack)[doing]}`,
  };
  return withFileLock(path.join(directory, `.${doing}-${stack}-${pillar}.lock`), busy, work, retries);
}

/**
 * Works while this process holds a lock. That of a killed process expires after ten seconds. `busy`: the problem if
 * another process holds it. @throws if the directory can't be written, or the lock is not free within a minute
 */
export async function withFileLock<T>(file: string, busy: Problem, work: () => Promise<T>, retries = 120): Promise<T> {
  const directory = path.dirname(file);
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The library would try again for a minute.
  fs.accessSync(directory, fs.constants.W_OK);
  const release = await lockfile
    .lock(directory, {
      lockfilePath: file,
      realpath: false,
      retries: { retries, factor: 1, minTimeout: retryDelayMs, maxTimeout: retryDelayMs },
      // Called if the machine slept and so lost the lock. Lets the work go on; the library's default ends the process.
      onCompromised: () => undefined,
    })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ELOCKED") throw error;
      throw createOperatorError({ found: `${file}, a lock that another process holds`, ...busy });
    });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
