import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const checkout = join(import.meta.dirname, "../..");

/** Seconds by file, as they were recorded last. */
export type Durations = Readonly<Record<string, number>>;

const recorded = join(checkout, "test/durations.json");

export function readDurations(file = recorded): Durations {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Durations) : {};
}

/** Below it the order does not matter. */
const leastSeconds = 2;

/** What is kept of what was recorded, with what was measured now: only of files that are there, in order. */
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

/** As long as most: a file that is new is not the last to begin. */
const unknownSeconds = 60;

/** What a file is expected to take. */
export function expectedSeconds(durations: Durations, file: string): number {
  return durations[relative(checkout, file)] ?? (file.includes("/test/lab/") ? unknownSeconds : 0);
}

/** A file's place below the checkout, as it is recorded. */
export function recordedName(file: string): string {
  return relative(checkout, file);
}
