import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/**
 * Takes an exclusive lock on a file without waiting, as Go does with flock. The lock ends with the process, however the
 * process ends.
 * @returns a function that releases the lock, or undefined if another process holds it
 */
export function takeLock(file: string): (() => void) | undefined {
  const descriptor = openSync(file, "a", 0o644);
  // Node.js has no flock. The lock belongs to the open file, so it outlives the child process that takes it.
  const { status, error } = spawnSync("flock", ["--exclusive", "--nonblock", "3"], {
    stdio: ["ignore", "ignore", "ignore", descriptor],
  });
  if (status === 0) return () => closeSync(descriptor);
  closeSync(descriptor);
  if (error) throw error;
  return undefined;
}
