import fs from "node:fs";
import path from "node:path";
import { versionOf } from "../util/formatVersion";
import type { LogEvent, MoveEvent } from "./events";
import { moveText, parseMove } from "./moveId";

/** Of the lines' form (docs/architecture.md, Event log). Lines without one are of before there were versions, and the same. */
const lineVersion = 1;

/**
 * The event log, beside the backups: append-only, a JSON text a line, outside of Pulumi's state, which dies with a
 * destroy.
 */
export function eventLogFile(directory: string): string {
  return path.join(directory, "record.jsonl");
}

/** Adds a line, on the disk when this returns. @throws where it can't be written */
export function appendLine(directory: string, entry: LogEvent | MoveEvent): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = eventLogFile(directory);
  const handle = fs.openSync(file, "a+", 0o600);
  try {
    // One that a power cut broke off must not swallow the next.
    const { size } = fs.fstatSync(handle);
    const last = Buffer.alloc(1);
    if (size > 0) fs.readSync(handle, last, 0, 1, size - 1);
    const before = size > 0 && last.toString() !== "\n" ? "\n" : "";
    const written = "move" in entry ? { ...entry, move: moveText(entry.move) } : entry;
    fs.writeFileSync(handle, `${before}${JSON.stringify({ version: lineVersion, ...written })}\n`);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * All lines, the oldest first; nothing where there is no log. Lines that were broken off are left out.
 *
 * @throws where it can't be read, or a newer program wrote in it
 */
export function readLines(directory: string): (LogEvent | MoveEvent)[] {
  const file = eventLogFile(directory);
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => lineOf(line, file) ?? []);
}

/**
 * Reads a line, of whatever version (pure). The details are as they were written.
 *
 * @param where names the log in the error
 * @returns undefined where it is none
 * @throws where a newer program wrote it
 */
export function lineOf(line: string, where: string): LogEvent | MoveEvent | undefined {
  const read = parsed(line);
  if (read === undefined) return undefined;
  const { version, ...entry } = read;
  versionOf(version, lineVersion, `the record of the migration, ${where}`);
  const { at, event, move, stack, pillar, details = {} } = entry;
  if (typeof at !== "string" || typeof event !== "string") return undefined;
  const named = parseMove(move);
  // Written by this program: that an event has the details of its name is what the version stands for.
  if (named) return { at, move: named, event, details } as MoveEvent;
  if (typeof stack !== "string" || typeof pillar !== "string") return undefined;
  return { at, stack, pillar, event, details } as LogEvent;
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === "object" && read !== null ? { ...read } : undefined;
  } catch {
    return undefined;
  }
}
