import fs from "node:fs";
import path from "node:path";
import { locateFiles } from "../core/eventLog/eventLog.ts";
import type { LogEvent, MoveEvent } from "../core/eventLog/events.ts";
import { findLastHash } from "../core/eventLog/logIntegrity.ts";
import { formatLine, parseLine } from "../core/eventLog/logLine.ts";

/** Returns the path of the event log in a directory. Tests write and read it without a store. */
export function recordFile(directory: string): string {
  return path.join(directory, "record.jsonl");
}

function linesIn(directory: string): string[] {
  const file = recordFile(directory);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

function entriesIn(directory: string): (LogEvent | MoveEvent)[] {
  return linesIn(directory).flatMap((line) => parseLine(line, recordFile(directory)) ?? []);
}

/** Returns a Pillar's journey, oldest event first. */
export function journeyIn(directory: string, pillar: string): LogEvent[] {
  return entriesIn(directory).filter((entry) => "stack" in entry && entry.pillar === pillar) as LogEvent[];
}

/** Returns the events of orchestrators' moves, with the present paths of backup files. */
export function movesIn(directory: string): MoveEvent[] {
  const moves = entriesIn(directory).filter((entry) => "move" in entry);
  return moves.map((entry) => locateFiles(entry, { directory }));
}

export function putEvent(directory: string, entry: LogEvent | MoveEvent): void {
  fs.mkdirSync(directory, { recursive: true });
  fs.appendFileSync(recordFile(directory), `${formatLine(entry, findLastHash(linesIn(directory)))}\n`);
}
