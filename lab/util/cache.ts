import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import lockfile from "proper-lockfile";
import { elapsed } from "./progress.ts";

const LOCK_STALE_MS = 20_000;
const LOCK_RETRY_MS = 500;
const WAIT_NOTICE_MS = 15_000;

/** Timings that tests shorten. */
export interface CacheOptions {
  /** Time without an update after which a builder counts as dead; at least 2 s. */
  lockStaleMs?: number;
}

/** Returns the directory for what is expensive to make: outside the checkout, shared by all checkouts of this user. */
export function cacheRoot(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "pillar-host");
}

/** Returns the path of {@link cached}'s result; it exists if and only if the result is complete. */
export function cachePath(name: string, version: string): string {
  return path.join(cacheRoot(), `${name}-${version}`);
}

/**
 * Returns the directory `<name>-<version>` below {@link cacheRoot}, and has `build` make it if it is missing. `build`
 * fills a temporary directory, which is renamed once it is complete, so an interrupted build never counts as a result.
 * If several processes ask at once, one builds and the others wait. `version` must change with everything that changes
 * the content.
 */
export async function cached(
  name: string,
  version: string,
  build: (dir: string) => Promise<void>,
  options: CacheOptions = {},
): Promise<string> {
  const result = cachePath(name, version);
  if (fs.existsSync(result)) return result;

  fs.mkdirSync(cacheRoot(), { recursive: true });
  const release = await lock(result, options.lockStaleMs ?? LOCK_STALE_MS);
  try {
    if (fs.existsSync(result)) return result;
    removeDeadBuilds();
    const temporary = fs.mkdtempSync(path.join(cacheRoot(), `.building-${process.pid}-`));
    try {
      await build(temporary);
      fs.chmodSync(temporary, 0o755); // mkdtemp makes it private
      moveIntoPlace(temporary, result);
    } finally {
      fs.rmSync(temporary, { recursive: true, force: true });
    }
    return result;
  } finally {
    await release();
  }
}

async function lock(result: string, stale: number): Promise<() => Promise<void>> {
  const building = path.basename(result);
  const started = Date.now();
  let lastNotice = started;
  for (;;) {
    try {
      const release = await lockfile.lock(result, {
        lockfilePath: `${result}.lock`,
        realpath: false,
        stale,
        update: Math.max(1000, stale / 5),
        // A machine that slept loses its lock. Two builds at once only waste time; the default would end the process.
        onCompromised: () => process.stderr.write(`the lock on ${building} was lost: building on without it\n`),
      });
      return () => release().catch(() => undefined); // a lost lock is released already
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
    }
    if (Date.now() - lastNotice >= WAIT_NOTICE_MS) {
      lastNotice = Date.now();
      process.stderr.write(
        `waiting for another process that builds ${building} (${elapsed(lastNotice - started)} so far)\n`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}

function removeDeadBuilds(): void {
  for (const entry of fs.readdirSync(cacheRoot())) {
    const pid = /^\.building-(\d+)-/.exec(entry)?.[1];
    if (pid && !isAlive(Number(pid))) fs.rmSync(path.join(cacheRoot(), entry), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function moveIntoPlace(temporary: string, result: string): void {
  try {
    fs.renameSync(temporary, result);
  } catch (error) {
    // A process that took over a lost lock was faster, with the same content.
    if (!fs.existsSync(result)) throw error;
  }
}
