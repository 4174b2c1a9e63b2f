import type { LogEvent, MoveEvent } from "../../core/eventLog/events";
import { findValidEvents } from "../../core/eventLog/guardFacts";
import { parseLine } from "../../core/eventLog/logLine";
import { type EventText, formatEvent } from "./eventTable";

type Entry = LogEvent | MoveEvent;

/** The lines of an event log that this version understands. */
export interface ParsedLog {
  readonly entries: readonly Entry[];
  /** The number of lines that are incomplete or of an unknown kind. */
  readonly unread: number;
}

export interface Item extends EventText {
  /** ISO 8601. */
  readonly at: string;
  readonly stack: string;
  readonly event: string;
  /** Seconds since the previous stage of the same stack. Set for stages only. */
  readonly seconds?: number;
}

export interface Report {
  readonly stack: string;
  readonly pillar: string;
  /** All stacks in the report, the reported one first. */
  readonly stacks: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly timeline: readonly Item[];
  readonly unread: number;
}

/** Parses an event log. */
export function parseEventLog(text: string, where = "record.jsonl"): ParsedLog {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
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

export function listStacks(entries: ParsedLog["entries"]): string[] {
  return [...new Set(entries.map((entry) => getOwner(entry).stack))];
}

/** Returns the report of a stack, or undefined if the event log does not name the stack. */
export function buildReport({ entries, unread }: ParsedLog, stack: string): Report | undefined {
  const chosen = chooseEntries(entries, stack);
  const last = chosen.findLast((entry) => getOwner(entry).stack === stack);
  if (last === undefined) return undefined;
  const stacks = [stack, ...listStacks(chosen).filter((other) => other !== stack)];
  const times = chosen.map(getDate);
  return {
    stack,
    pillar: getOwner(last).pillar,
    stacks,
    from: times[0] ?? "",
    to: times.at(-1) ?? "",
    timeline: listItems(chosen),
    unread,
  };
}

/**
 * Chooses the events for a stack's report: all of this stack's, and those of the Pillar's other stacks between this
 * stack's first event and its deletion. Other events belong to other migrations.
 */
function chooseEntries(entries: ParsedLog["entries"], stack: string): Entry[] {
  const all = entries.map((entry) => placeBeforeSwitch(entry, entries)).sort((a, b) => getTime(a) - getTime(b));
  const own = all.filter((entry) => getOwner(entry).stack === stack);
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last) return [];
  const end = last.event === "released" ? getTime(last) : Number.POSITIVE_INFINITY;
  return all.filter((entry) => {
    const { pillar, stack: other } = getOwner(entry);
    const isMeanwhile = getTime(entry) >= getTime(first) && getTime(entry) <= end;
    return pillar === getOwner(last).pillar && (other === stack || isMeanwhile);
  });
}

/** Dates a registration back to the address's first momentum, if the registration was noticed later. */
function placeBeforeSwitch(entry: Entry, entries: ParsedLog["entries"]): Entry {
  if (entry.event !== "registered") return entry;
  const next = entries
    .slice(entries.indexOf(entry) + 1)
    .find(
      ({ event, ...rest }) =>
        "stack" in rest && rest.stack === entry.stack && ["producing", "registeredElsewhere"].includes(event),
    );
  const isOwn = next?.event === "producing" && next.details.producerAddress === entry.details.producerAddress;
  return isOwn && getTime(next) < getTime(entry) ? { ...entry, at: getDate(next) } : entry;
}

function listItems(entries: readonly Entry[]): Item[] {
  const stages = new Map<string, number>();
  return entries.flatMap((entry): Item[] => {
    const text = formatEvent(entry);
    const { stack } = getOwner(entry);
    // Several runs may log the same wait. Shows only the last of these lines, and none once the node is synced.
    const isOver = entry.event === "waiting" && findValidEvents(entries, stack, "waits").at(-1) !== entry;
    if (text === undefined || isOver) return [];
    const item = { at: getDate(entry), stack, event: entry.event, ...text };
    if (text.weight !== "stage") return [item];
    const before = stages.get(stack);
    stages.set(stack, getTime(entry));
    return [before === undefined ? item : { ...item, seconds: Math.round((getTime(entry) - before) / 1000) }];
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
