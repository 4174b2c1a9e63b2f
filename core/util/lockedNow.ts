import fs from "node:fs";
import path from "node:path";
import lockfile from "proper-lockfile";

/** How long another process is waited for, and how long one that was killed holds the lock; milliseconds. */
const patience = 120_000;
const stale = 20_000;
const pause = 100;

/**
 * Does some work on this machine's files while no other process does it. For what is short and has to be done before
 * anything else is known: nothing else of this process goes on meanwhile.
 *
 * @param file the lock, in a directory that is there
 * @param work gets what tells others that it is alive, to be called every few seconds
 * @throws where the other one does not end
 */
export function lockedNow<T>(file: string, work: (alive: () => void) => T): T {
  const directory = path.dirname(file);
  const options = { lockfilePath: file, realpath: false };
  const end = performance.now() + patience;
  for (;;) {
    try {
      lockfile.lockSync(directory, { ...options, stale, onCompromised: () => undefined });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
    }
    if (performance.now() >= end)
      throw new Error(`another process is at work there\n  found: ${file}, which it keeps fresh\n  needed: its end`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
  const alive = () => {
    const now = new Date();
    fs.utimesSync(file, now, now);
  };
  try {
    return work(alive);
  } finally {
    try {
      lockfile.unlockSync(directory, options);
    } catch {
      // What is done is done, and a lock that is left ends by itself.
    }
  }
}
