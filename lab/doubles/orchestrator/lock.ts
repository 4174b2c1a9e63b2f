import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/**
 * Takes the lock of a file as Go does (flock, exclusive, not waiting). It goes with the process, however that ends.
 *
 * @returns what gives it back; undefined where another process holds it
 */
export function takeLock(file: string): (() => void) | undefined {
  const descriptor = openSync(file, "a", 0o644);
  // Node has no flock, but the lock belongs to the open file: one that a child takes stays when the child is gone.
  const { status, error } = spawnSync("flock", ["--exclusive", "--nonblock", "3"], {
    stdio: ["ignore", "ignore", "ignore", descriptor],
  });
  if (status === 0) return () => closeSync(descriptor);
  closeSync(descriptor);
  if (error) throw error;
  return undefined;
}
