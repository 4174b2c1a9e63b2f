import os from "node:os";
import path from "node:path";
import { operatorFault } from "./plainFault";

/** A directory or file of the operator's as it is meant (pure but for home and working directory, which is the project's). */
export function resolvePath(configured: string): string {
  return path.resolve(configured.replace(/^~(?=\/|$)/, homeDirectory));
}

/** Returns the user's home. @throws where it is not absolute: records and keys would go into the working directory */
export function homeDirectory(): string {
  const home = os.homedir();
  if (path.isAbsolute(home)) return home;
  throw operatorFault(
    `the home directory of this user is not known\n  found: HOME=${JSON.stringify(home)}\n  needed: set HOME to the absolute path of the home, then run the same command again`,
  );
}
