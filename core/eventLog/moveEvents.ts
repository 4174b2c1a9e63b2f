import fs from "node:fs";
import path from "node:path";

/** A line of the record: what happened to a move, when. Never a secret. */
export interface MoveEvent {
  /** ISO 8601. */
  readonly at: string;
  /** `<project>/<stack>/<pillar>/<attempt>`. */
  readonly move: string;
  /** `backup` of a proved one, `done` at a move's end, `rolledBack` at the end of the way back; others are for the reader. */
  readonly event: string;
  /** What is to be kept of it: heights, versions, stages, file names. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The record of moves, beside the backups: append-only, a JSON text a line, outside of Pulumi's state, which dies with a
 * destroy.
 */
export function eventLogFile(directory: string): string {
  return path.join(directory, "record.jsonl");
}

/** Adds a line, on the disk when this returns. @throws where it can't be written */
export function appendMoveEvent(directory: string, entry: MoveEvent): void {
  addLine(directory, entry);
}

/** Adds a line of whatever kind to the record. */
export function addLine(directory: string, entry: object): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = eventLogFile(directory);
  const handle = fs.openSync(file, "a+", 0o600);
  try {
    // One that a power cut broke off must not swallow the next.
    const { size } = fs.fstatSync(handle);
    const last = Buffer.alloc(1);
    if (size > 0) fs.readSync(handle, last, 0, 1, size - 1);
    const before = size > 0 && last.toString() !== "\n" ? "\n" : "";
    fs.writeFileSync(handle, `${before}${JSON.stringify(entry)}\n`);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** All that was recorded, the oldest first; nothing where there is no record. Lines that were broken off are left out. */
export function readMoveEvents(directory: string): MoveEvent[] {
  return readLines<MoveEvent>(directory, ({ move, event }) => typeof move === "string" && typeof event === "string");
}

/**
 * The lines of one kind in the record, the oldest first; nothing where there is no record.
 *
 * @param isOne tells the kind from the others; lines that are no JSON text are left out before
 */
export function readLines<T extends object>(directory: string, isOne: (line: Partial<T>) => boolean): T[] {
  let text: string;
  try {
    text = fs.readFileSync(eventLogFile(directory), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => {
    const read = parsed<T>(line);
    return read && isOne(read) ? [read as T] : [];
  });
}

function parsed<T>(line: string): Partial<T> | undefined {
  try {
    return JSON.parse(line) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The last line about an event of a move (pure). */
export function lastMoveEvent(record: readonly MoveEvent[], move: string, event: string): MoveEvent | undefined {
  return record.findLast((entry) => entry.move === move && entry.event === event);
}

/** Whether a move ended, there or back (pure): nothing of it is done again. */
export function isMoveOver(record: readonly MoveEvent[], move: string): boolean {
  return ["done", "rolledBack"].some((event) => lastMoveEvent(record, move, event) !== undefined);
}
