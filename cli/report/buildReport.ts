import type { LogEvent, MoveEvent } from "../../core/eventLog/events.ts";
import { findValidEvents } from "../../core/eventLog/guardFacts.ts";
import { parseLine } from "../../core/eventLog/logLine.ts";
import { type EventText, formatEvent } from "./eventTable.ts";

type Entry = LogEvent | MoveEvent;

export interface Item extends EventText {
  /** ISO 8601. */
  readonly at: string;
  readonly stack: string;
  readonly event: string;
  /** Seconds since the previous stage of the same stack. Set for stages only. */
  readonly seconds?: number;
}

/**
 * Parses the lines of an event log, which is at `where`. `unread`: the number of lines that are incomplete or of an
 * unknown kind. @throws for lines of another version
 */
export function parseEventLog(lines: readonly string[], where: string) {
  const entries = lines.flatMap((line) => parseLine(line, where) ?? []).filter(isReadable);
  return { entries, unread: lines.length - entries.length };
}

function isReadable(entry: Entry): boolean {
  try {
    return formatEvent(entry) !== undefined && !Number.isNaN(getTime(entry));
  } catch {
    // A detail has the wrong type, such as a text that is no time.
    return false;
  }
}

export function listStacks(entries: readonly Entry[]): string[] {
  return [...new Set(entries.map((entry) => getOwner(entry).stack))];
}

export type Report = NonNullable<ReturnType<typeof buildReport>>;

/**
 * Returns the report of a stack, or undefined if the event log does not name the stack: the Pillar's events, in the
 * log's order, from this stack's first event to its deletion. Other events belong to other migrations.
 */
export function buildReport({ entries, unread }: ReturnType<typeof parseEventLog>, stack: string) {
  const own = entries.filter((entry) => getOwner(entry).stack === stack);
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last) return undefined;
  const { pillar } = getOwner(last);
  const end = last.event === "released" ? entries.indexOf(last) + 1 : entries.length;
  const chosen = entries.slice(entries.indexOf(first), end).filter((entry) => getOwner(entry).pillar === pillar);
  // The reported stack first.
  const stacks = [stack, ...listStacks(chosen).filter((other) => other !== stack)];
  const to = getDate(chosen.at(-1) ?? last);
  return { stack, pillar, stacks, from: getDate(first), to, timeline: listItems(chosen), unread };
}

function listItems(entries: readonly Entry[]): Item[] {
  const stages = new Map<string, number>();
  return entries.flatMap((entry): Item[] => {
    const text = formatEvent(entry);
    const { stack } = getOwner(entry);
    // Each run may log the wait. Shows the last of these lines, and none once the node is synced.
    const isOver = entry.event === "waiting" && findValidEvents(entries, stack, "waits").at(-1) !== entry;
    if (text === undefined || isOver) return [];
    const item = { at: getDate(entry), stack, event: entry.event, ...text };
    if (text.weight !== "stage") return [item];
    const before = stages.get(stack) ?? Number.POSITIVE_INFINITY;
    stages.set(stack, getTime(entry));
    // A stage that was noticed late may come before the one that the log has before it.
    return [getTime(entry) < before ? item : { ...item, seconds: Math.round((getTime(entry) - before) / 1000) }];
  });
}

const getOwner = (entry: Entry) => ("move" in entry ? entry.move : entry);
const getTime = (entry: Entry) => Date.parse(getDate(entry));

/** Returns the time of an event, which may be before the event was written. */
function getDate(entry: Entry): string {
  if (entry.event === "synced") return entry.details.syncedAt;
  if (entry.event === "producing") return entry.details.switchedAt;
  if (entry.event === "done" || entry.event === "rolledBack") return entry.details.movedAt ?? entry.at;
  return entry.at;
}
