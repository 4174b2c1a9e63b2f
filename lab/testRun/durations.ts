import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const checkout = join(import.meta.dirname, "../..");

/** Seconds by file, as last recorded. */
export type Durations = Readonly<Record<string, number>>;

const recorded = join(checkout, "test/durations.json");

export function readDurations(file = recorded): Durations {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Durations) : {};
}

/** Shorter files are not recorded: their order does not matter. */
const leastSeconds = 2;

/** Merges recorded and new durations, sorted by file, without files that are short or gone. */
export function merged(before: Durations, now: Durations, isThere: (file: string) => boolean): Durations {
  const all = Object.entries({ ...before, ...now }).filter(
    ([file, seconds]) => seconds >= leastSeconds && isThere(file),
  );
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function recordDurations(now: Durations): void {
  const all = merged(readDurations(), now, (file) => existsSync(join(checkout, file)));
  writeFileSync(recorded, `${JSON.stringify(all, undefined, 2)}\n`);
}

/** Most lab files take this long: with it, a new file does not start last. */
const unknownSeconds = 60;

/** Returns the seconds that a file is expected to take. */
export function expectedSeconds(durations: Durations, file: string): number {
  return durations[relative(checkout, file)] ?? (file.includes("/test/lab/") ? unknownSeconds : 0);
}

/** Returns a file's path below the checkout, the key of its duration. */
export function recordedName(file: string): string {
  return relative(checkout, file);
}

/** Names the environment variable with the files that test/vitest.config.ts excludes. */
export const leftOutVariable = "PILLAR_TEST_LEFT_OUT";

export function leftOut(): string[] {
  return (process.env[leftOutVariable] ?? "").split("\n").filter((file) => file !== "");
}
