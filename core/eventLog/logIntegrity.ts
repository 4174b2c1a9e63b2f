import crypto from "node:crypto";
import path from "node:path";
import { readIfExists } from "../store/directoryStore";
import { resolveDataDirectory } from "../store/recordsDirectory";
import type { Store } from "../store/store";
import { commandsFor } from "../util/commands";
import { createProblemError } from "../util/problem";
import { replaceFile } from "../util/writeAtomically";
import { parsePreviousHash } from "./logLine";

/** Returns the hash that names a line in later lines, on this machine and in the stack's state. */
function hashLine(line: string): string {
  return crypto.createHash("sha256").update(line).digest("hex");
}

export function findLastHash(lines: readonly string[]): string | undefined {
  const last = lines.at(-1);
  return last === undefined ? undefined : hashLine(last);
}

/** Returns the path of the stored hash, away from the log, which somebody may replace by an earlier copy. */
function headFile({ log }: Pick<Store, "log">): string {
  return path.join(resolveDataDirectory(), "heads", hashLine(log).slice(0, 32));
}

/** Stores the newest line's hash here, unless the log lacks the one stored before and that is not accepted. @throws */
export function storeHead(store: Store, lines: readonly string[], isAccepted = false): void {
  const [file, head] = [headFile(store), findLastHash(lines)];
  const before = readIfExists(file)?.trim();
  if (head === undefined || head === before) return;
  if (!isAccepted && before !== undefined && !lines.some((line) => hashLine(line) === before)) return;
  replaceFile(file, `${head}\n`);
}

/**
 * Returns why lines do not stand in the order in which they were written; undefined if they do. Only the lines
 * themselves say it: clocks differ. Two lines may name the same line before them: two runs wrote at the same time.
 */
function findDisorder(lines: readonly string[]): string | undefined {
  const seen = new Set<string>();
  const first = lines.findIndex((line) => parsePreviousHash(line));
  for (const [index, line] of lines.entries()) {
    const [hash, before] = [hashLine(line), parsePreviousHash(line)];
    if (seen.has(hash)) return `line ${index + 1} was there before`;
    if (before === "" && first !== -1 && index > first) return `line ${index + 1} begins another log`;
    if (before && !seen.has(before)) return `line ${index + 1} stands before the line that it was written after`;
    seen.add(hash);
  }
  return undefined;
}

/**
 * Finds why the log proves nothing: it lacks a line that a later line, this machine or the stack's state knows, so it is
 * an old copy or incomplete; or its lines are not in their order. Returns that in the operator's words. If nothing is
 * wrong, stores the newest line's hash here.
 */
export async function findLogFault(store: Store, headInState?: string): Promise<string | undefined> {
  const lines = await store.readLines();
  const present = new Set(lines.map(hashLine));
  const file = headFile(store);
  const witnesses: readonly [hash: string | undefined, who: string][] = [
    [readIfExists(file)?.trim(), `this machine (${file})`],
    [headInState, "the stack's state"],
    ...lines.map((line): [string | undefined, string] => [parsePreviousHash(line), "a later line of it"]),
  ];
  const [hash, who] = witnesses.find(([each]) => each && !present.has(each)) ?? [];
  if (hash === undefined) {
    const disorder = findDisorder(lines);
    if (disorder === undefined) storeHead(store, lines);
    return disorder && `${store.log}: ${disorder}: the log was joined or changed by hand`;
  }
  return `${store.log} has no line with the hash ${hash.slice(0, 12)}, which ${who} has seen: the log is an earlier copy, or only a part`;
}

/** Refuses a log with a fault, unless the operator accepts that from here on. @throws in the operator's words */
export async function assertWhole(store: Store, stack: string, headInState?: string, isAccepted = false) {
  if (isAccepted) return storeHead(store, await store.readLines(), true);
  const found = await findLogFault(store, headInState);
  if (found === undefined) return;
  throw createProblemError({
    what: "the event log is incomplete: nothing was started",
    found,
    needed:
      "bring the newest event log here from another machine (docs/unattended.md). If it is lost for good: see where the\n" +
      "  orchestrator runs, then set pillar-host:orchestrator.migrateFrom.laterThanMove",
    next: `Then: ${commandsFor(stack).up}`,
  });
}
