import os from "node:os";
import path from "node:path";

/** A directory or file of the operator's as it is meant (pure but for home and working directory, which is the project's). */
export function resolvePath(configured: string): string {
  return path.resolve(configured.replace(/^~(?=\/|$)/, os.homedir()));
}
