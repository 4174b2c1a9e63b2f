import crypto from "node:crypto";
import { checkVersion } from "../util/checkVersion.ts";
import { parseJson } from "../util/parseJson.ts";
import type { LogEntry, LogEvent, MoveEvent } from "./events.ts";
import { formatMove, parseMove } from "./moveId.ts";

/** Version of a line's format (docs/architecture.md, Event log). */
const lineVersion = 1;

/** Formats a line without line break. @param after hash of the newest line that the writer had read */
export function formatLine(entry: LogEntry, after?: string): string {
  const written = "move" in entry ? { ...entry, move: formatMove(entry.move) } : entry;
  // No two writers write the same line, so one that is there twice was copied.
  return JSON.stringify({ version: lineVersion, id: crypto.randomUUID(), after, ...written });
}

/** Returns the hash by which a line names the line before it: "" for a first line, undefined for one that was cut off. */
export function parsePreviousHash(line: string): string | undefined {
  const fields = parseObject(line);
  return fields && (typeof fields.after === "string" ? fields.after : "");
}

/** Parses a line; undefined if it is no event, such as a line that was cut off. @throws if its version is unknown */
export function parseLine(line: string, where: string): LogEntry | undefined {
  const fields = parseObject(line);
  if (fields === undefined) return undefined;
  const { version, ...entry } = fields;
  checkVersion(version, lineVersion, `the event log, ${where}`);
  const { at, event, move, stack, pillar, details = {} } = entry;
  if (typeof at !== "string" || typeof event !== "string") return undefined;
  const moveId = parseMove(move);
  // The version guarantees the details of each event.
  if (moveId) return { at, move: moveId, event, details } as MoveEvent;
  if (typeof stack !== "string" || typeof pillar !== "string") return undefined;
  return { at, stack, pillar, event, details } as LogEvent;
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(line);
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}
