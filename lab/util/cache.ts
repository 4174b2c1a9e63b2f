import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import lockfile from "proper-lockfile";
import { elapsed } from "./progress";

const LOCK_STALE_MS = 20_000;
const LOCK_RETRY_MS = 500;
const WAIT_NOTICE_MS = 15_000;

/** Timings that tests shorten. */
export interface CacheOptions {
  /** How long after the last sign of life a builder counts as dead; 2 s at least. */
  lockStaleMs?: number;
}

/** Where the lab keeps what is expensive to make: outside the checkout, shared by all checkouts of this user. */
export function cacheRoot(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "pillar-host");
}

/** Where {@link cached} puts its result; it exists if and only if the result is whole. */
export function cachePath(name: string, version: string): string {
  return path.join(cacheRoot(), `${name}-${version}`);
}

/**
 * The directory `<name>-<version>` below {@link cacheRoot}, made by `build` where it is missing.
 *
 * `build` fills a temporary directory beside the result, which is renamed into place when it is whole, so an
 * interrupted build is never taken for a result. Of several processes that ask at once, one builds and the others wait.
 * `version` must change with everything that changes the content.
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
      return () => release().catch(() => undefined); // released already when it was lost
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
    // Somebody who took over a lost lock was faster, with the same content.
    if (!fs.existsSync(result)) throw error;
  }
}
