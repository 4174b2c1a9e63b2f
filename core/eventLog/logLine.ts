import { checkVersion } from "../util/formatVersion";
import type { LogEvent, MoveEvent } from "./events";
import { moveText, parseMove } from "./moveId";

/** The version of a line's form (docs/architecture.md, Event log). */
const lineVersion = 1;

/** Returns a line of the event log, without its end. @param after hash of the newest line that its writer had read */
export function textOf(entry: LogEvent | MoveEvent, after?: string): string {
  const written = "move" in entry ? { ...entry, move: moveText(entry.move) } : entry;
  return JSON.stringify({ version: lineVersion, after, ...written });
}

/** Returns the hash that a line names of the one before it. */
export function afterOf(line: string): string | undefined {
  const after = parsed(line)?.after;
  return typeof after === "string" ? after : undefined;
}

/**
 * Reads a line. The details are as they were written.
 *
 * @param where names the log in the error
 * @returns undefined where it is none
 * @throws where its version is not known
 */
export function lineOf(line: string, where: string): LogEvent | MoveEvent | undefined {
  const read = parsed(line);
  if (read === undefined) return undefined;
  const { version, ...entry } = read;
  checkVersion(version, lineVersion, `the record of the migration, ${where}`);
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
