import { ProblemError } from "./problem.ts";

/**
 * Checks the version of data that this or another program wrote. `what` names the data and its place. Throws if the
 * version is missing or unknown: guessing the content would be unsafe.
 */
export function checkVersion(found: unknown, latest: number, what: string): void {
  if (typeof found === "number" && Number.isInteger(found) && found >= 1 && found <= latest) return;
  const isNewer = typeof found === "number" && found > latest;
  throw new ProblemError({
    what: `${what}: ${isNewer ? "written by a newer version of this program" : "not in a version that this program knows"}; nothing was changed`,
    found: found === undefined ? "no version" : `version ${JSON.stringify(found)}`,
    needed: `use the program that wrote it, or data of version ${latest === 1 ? "1" : `1 to ${latest}`} (docs/operating.md)`,
    next: "In the program's directory: git pull && npm ci --omit=dev --omit=optional --ignore-scripts, then run the same command again.",
  });
}
