import crypto from "node:crypto";
import path from "node:path";
import { readIfExists } from "../store/directoryStore.ts";
import type { Store } from "../store/store.ts";
import { resolveDataDirectory } from "../store/storeDirectory.ts";
import { commandsFor } from "../util/commands.ts";
import { ProblemError } from "../util/problem.ts";
import { replaceFile } from "../util/writeAtomically.ts";
import { parseLine, parsePreviousHash } from "./logLine.ts";

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

/** Stores the newest line's hash here, unless the log lacks the one stored before and that is not known as lost. @throws */
export function storeHead(store: Store, lines: readonly string[]): void {
  const [file, head] = [headFile(store), findLastHash(lines)];
  const before = readIfExists(file)?.trim();
  if (head === undefined || head === before) return;
  const isKnown = before === undefined || lines.some((line) => hashLine(line) === before);
  if (isKnown || listLost(lines).some((digits) => before.startsWith(digits))) replaceFile(file, `${head}\n`);
}

/**
 * Returns the hashes by which a guard knows its log from here on: that of the newest line, and those known before that
 * this log lacks. Of two logs of one host, each lacks a line then.
 */
export function mergeHeads(lines: readonly string[], before = ""): string | undefined {
  const present = new Set(lines.map(hashLine));
  const lacking = before.split(" ").filter((hash) => !present.has(hash));
  return [...lacking, findLastHash(lines) ?? ""].join(" ").trim() || undefined;
}

/** Lists the lines that are lost by the operator's word, as the first digits of their hashes. */
function listLost(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const entry = parseLine(line, "the event log");
    return entry?.event === "confirmed" && entry.details.key === "lostLine" ? [String(entry.details.value)] : [];
  });
}

/**
 * Returns why lines do not stand in the order in which they were written; undefined if they do. Only the lines
 * themselves say it: clocks differ. Two lines may name the same line before them: two runs wrote at the same time.
 */
function findDisorder(lines: readonly string[], isLost: (hash: string) => boolean): string | undefined {
  const seen = new Set<string>();
  const first = lines.findIndex((line) => parsePreviousHash(line));
  for (const [index, line] of lines.entries()) {
    const [hash, before] = [hashLine(line), parsePreviousHash(line)];
    if (seen.has(hash)) return `line ${index + 1} was there before`;
    if (before === "" && first !== -1 && index > first) return `line ${index + 1} begins another log`;
    if (before && !seen.has(before) && !isLost(before))
      return `line ${index + 1} stands before the line that it was written after`;
    seen.add(hash);
  }
  return undefined;
}

/** Tells why a log proves nothing. `missing`: hash of a line that it lacks. */
export interface LogFault {
  readonly found: string;
  readonly missing?: string;
}

/** A log's place, who relies on it, and the hashes of lines that this machine (in a file) and the state know. */
interface LogReader extends Readonly<Partial<Record<"file" | "onMachine" | "inState", string>>> {
  readonly log: string;
  /** A move goes on without a line that is lost by the operator's word; a guard needs what it said of the host. */
  readonly by: "move" | "guard";
}

/**
 * Finds why lines prove nothing: they lack one that a later line, this machine or the stack's state knows, so they are an
 * old copy or incomplete; or they are not in their order.
 */
export function findFault(
  lines: readonly string[],
  { log, by, file, onMachine, inState }: LogReader,
): LogFault | undefined {
  const present = new Set(lines.map(hashLine));
  const lost = listLost(lines).filter((digits) => ![...present].some((hash) => hash.startsWith(digits)));
  const witnesses: readonly [hash: string | undefined, who: string][] = [
    [onMachine, `this machine (${file}) has seen`],
    ...(inState ?? "").split(" ").map((hash): [string, string] => [hash, "the stack's state has seen"]),
    ...lines.map((line): [string | undefined, string] => [parsePreviousHash(line), "a later line of it has seen"]),
    ...lost.map((digits): [string, string] => [digits, "was lost when an orchestrator was moved"]),
  ];
  const isLost = (hash: string) => by === "move" && lost.some((digits) => hash.startsWith(digits));
  const [missing, who] = witnesses.find(([hash]) => hash && !present.has(hash) && !isLost(hash)) ?? [];
  if (missing !== undefined) {
    const found = `${log} has no line with the hash ${missing.slice(0, 12)}, which ${who}: the log is an earlier copy, or only a part`;
    return { found, missing };
  }
  const disorder = findDisorder(lines, isLost);
  return disorder === undefined ? undefined : { found: `${log}: ${disorder}: the log was joined or changed by hand` };
}

/** Reads a log and finds its fault ({@link findFault}). If there is none, stores the newest line's hash here. */
export async function findLogFault(store: Store, by: LogReader["by"], inState?: string): Promise<LogFault | undefined> {
  const lines = await store.readLines();
  const [{ log }, file] = [store, headFile(store)];
  const fault = findFault(lines, { log, by, file, onMachine: readIfExists(file)?.trim(), inState });
  if (fault === undefined) storeHead(store, lines);
  return fault;
}

/** True if an operator's word is for the line that this fault is about. @param lostLine first digits of its hash */
export function isConfirmedLoss({ missing }: LogFault, lostLine: string): boolean {
  return missing?.startsWith(lostLine) === true;
}

interface MoveLog {
  readonly store: Store;
  readonly stack: string;
  readonly headInState?: string | undefined;
  /** First digits of the hash of a line that is lost by the operator's word, as configured. */
  readonly lostLine?: string | undefined;
}

/**
 * Refuses a log with a fault. @param confirmLoss logs that the operator gave up the missing line
 * @throws in the operator's words
 */
export async function assertWhole(
  { store, stack, headInState, lostLine }: MoveLog,
  confirmLoss: (digits: string) => Promise<void>,
): Promise<void> {
  const fault = await findLogFault(store, "move", headInState);
  if (fault === undefined) return;
  if (lostLine !== undefined && isConfirmedLoss(fault, lostLine)) {
    await confirmLoss(lostLine);
    return assertWhole({ store, stack, headInState }, confirmLoss);
  }
  const { up, set } = commandsFor(stack);
  const word = fault.missing && set("orchestrator.lostLine", fault.missing.slice(0, 12));
  throw new ProblemError({
    what: `the event log is ${fault.missing ? "incomplete" : "not in its order"}: nothing was started`,
    found: fault.found,
    needed: "bring the newest event log here from another machine (docs/unattended.md)",
    next: [
      `Then: ${up}`,
      word
        ? `Is that line lost for good, and can the orchestrator start nowhere else (docs/safety.md, Confirmations)? ${word} && ${up}`
        : `Is there no other? Set this one aside: mv ${store.log} ${store.log}.aside, then ${up} says what is missing`,
    ],
  });
}
