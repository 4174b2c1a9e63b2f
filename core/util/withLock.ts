import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Clock } from "./clock";

/** What time is. */
export type LockDeps = Pick<Clock, "ticks" | "sleep">;

const patience = 60_000;
const pause = 500;

/**
 * Lets in one release of a stack at a time on this machine: an engine that was killed leaves its provider at work for some
 * seconds, and the next destroy would take the same backup beside it.
 *
 * @throws where the directory can't be written, or the other one does not end
 */
export async function withLock<T>(
  directory: string,
  { stack, pillar }: { readonly stack: string; readonly pillar: string },
  deps: LockDeps,
  work: () => Promise<T>,
): Promise<T> {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `.destroy-${stack}-${pillar}`);
  const end = deps.ticks() + patience;
  while (!isClaimed(file)) {
    if (deps.ticks() >= end)
      throw new Error(
        [
          `another destroy of ${stack} is at work on this machine: nothing was changed`,
          `  found: process ${holderOf(file)}, by ${file}`,
          "  needed: its end; where it is no destroy, the file gone: rm that file",
          `  Then: pulumi destroy -s ${stack}`,
        ].join("\n"),
      );
    await deps.sleep(pause);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

function isClaimed(file: string): boolean {
  if (fs.existsSync(file) && isLeft(file)) fs.rmSync(file, { force: true });
  try {
    fs.writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    // Half a file is nobody's.
    fs.rmSync(file, { force: true });
    throw error;
  }
}

/** Of a process that is gone: after a reboot, or in a new container, another one may have its number, this one too. */
function isLeft(file: string): boolean {
  const holder = holderOf(file);
  const bootedAt = Date.now() - os.uptime() * 1000;
  return holder === process.pid || !isAlive(holder) || fs.statSync(file).mtimeMs < bootedAt;
}

function holderOf(file: string): number {
  try {
    return Number(fs.readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
