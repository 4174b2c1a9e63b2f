import fs from "node:fs";
import path from "node:path";
import lockfile from "proper-lockfile";
import { systemClock } from "./clock.ts";
import { commandsFor } from "./commands.ts";
import { type Problem, ProblemError } from "./problem.ts";

interface LockScope {
  readonly stack: string;
  readonly pillar: string;
  readonly doing?: "destroy" | "backup" | "resume";
}

/** `patience`: for a lock that another process holds. A holder renews its lock twice in `abandoned`. */
const usualMs = { patience: 60_000, abandoned: 10_000, pause: 500 };

/**
 * Lets only one destroy, `backup` or `resume` of a stack work at a time on this machine. Needed because the
 * provider process of a killed destroy works on for some seconds. @throws as {@link withFileLock}
 */
export function withLock<T>(
  directory: string,
  { stack, pillar, doing = "destroy" }: LockScope,
  work: () => Promise<T>,
  times?: typeof usualMs,
): Promise<T> {
  const busy = {
    what: `a ${doing} of ${stack} already runs on this machine; nothing was changed`,
    needed: "wait until that run has finished",
    next: `Then: ${doing === "resume" ? commandsFor(stack).resume() : commandsFor(stack)[doing]}`,
  };
  return withFileLock(path.join(directory, `.${doing}-${stack}-${pillar}.lock`), busy, work, times);
}

/**
 * Works while this process holds a lock. That of a killed process is removed after ten seconds. `busy`: the problem if
 * another process holds it. @throws if the directory can't be written, or the lock is not free within a minute
 */
export async function withFileLock<T>(file: string, busy: Problem, work: () => Promise<T>, times = usualMs) {
  const directory = path.dirname(file);
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Refused here in the system's words, which name the directory.
  fs.accessSync(directory, fs.constants.W_OK);
  const begun = systemClock.ticks();
  let seen = { renewed: 0, since: begun };
  for (;;) {
    const release = await takeLock(directory, file, times.abandoned / 2);
    if (release)
      try {
        return await work();
      } finally {
        await release().catch(() => undefined);
      }
    const now = systemClock.ticks();
    const renewed = readTime(file);
    if (renewed !== seen.renewed) seen = { renewed, since: now };
    else if (renewed !== 0 && now - seen.since >= times.abandoned) fs.rmSync(file, { recursive: true, force: true });
    else if (now - begun >= times.patience)
      throw new ProblemError({ found: `${file}, a lock that another process holds`, ...busy });
    await systemClock.sleep(times.pause);
  }
}

/** Takes a lock; undefined if another process holds it. */
function takeLock(directory: string, file: string, update: number) {
  return lockfile
    .lock(directory, {
      lockfilePath: file,
      realpath: false,
      // The library compares with the wall clock, which may jump.
      stale: Number.MAX_SAFE_INTEGER,
      update,
      // Called if the machine slept and so lost the lock. Lets the work go on; the library's default ends the process.
      onCompromised: () => undefined,
    })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ELOCKED") throw error;
      return undefined;
    });
}

/** Milliseconds at which a lock's holder renewed it; 0 if there is none. */
function readTime(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
