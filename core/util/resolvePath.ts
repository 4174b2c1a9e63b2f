import os from "node:os";
import path from "node:path";
import { ProblemError } from "./problem.ts";

/** Resolves an operator's path: `~` is the home directory, and a relative path starts at the project's directory. */
export function resolvePath(configured: string): string {
  return path.resolve(configured.replace(/^~(?=\/|$)/, resolveHomeDirectory));
}

/** Throws if the home directory is not absolute: event log and keys would be written below the working directory. */
export function resolveHomeDirectory(): string {
  const home = os.homedir();
  if (path.isAbsolute(home)) return home;
  throw new ProblemError({
    what: "the home directory of this user is unknown",
    found: `HOME=${JSON.stringify(home)}`,
    needed: "set HOME to the absolute path of the home directory, then run the same command again",
  });
}
