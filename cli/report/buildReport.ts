import type { LogEntry } from "../../core/eventLog/events.ts";
import { findValidEvents } from "../../core/eventLog/guardFacts.ts";
import { parseLine } from "../../core/eventLog/logLine.ts";
import { formatDuration } from "../../core/util/timeText.ts";
import { type EventText, formatEvent } from "./eventTable.ts";
import { findOrchestratorGaps, findWindow, getDate, getOwner, getTime, isRegistration } from "./findFigures.ts";
import { formatVerdict, type ProductionReading, sumGaps } from "./verdict.ts";

export interface Item extends EventText {
  /** ISO 8601. */
  readonly at: string;
  readonly stack: string;
  readonly event: string;
  /** Seconds since the previous stage, on any host. Set for stages only. */
  readonly seconds?: number;
  /** Seconds until another address was registered. Set for the wallet's detours that have ended. */
  readonly detourSeconds?: number | undefined;
}

/**
 * Parses the lines of an event log, which is at `where`. `unread`: the number of lines that are incomplete or of an
 * unknown kind. @throws for lines of another version
 */
export function parseEventLog(lines: readonly string[], where: string) {
  const entries = lines.flatMap((line) => parseLine(line, where) ?? []).filter(isReadable);
  return { entries, unread: lines.length - entries.length };
}

function isReadable(entry: LogEntry): boolean {
  try {
    return formatEvent(entry) !== undefined && !Number.isNaN(getTime(entry));
  } catch {
    // A detail has the wrong type, such as a text that is no time.
    return false;
  }
}

export function listStacks(entries: readonly LogEntry[]): string[] {
  return [...new Set(entries.map((entry) => getOwner(entry).stack))];
}

export type History = NonNullable<ReturnType<typeof buildReport>>;
export type Report = ReturnType<typeof completeReport>;

/** Returns the whole report, as --json prints it. */
export function completeReport({ window: _, ...history }: History, production: ProductionReading) {
  return { ...history, production, verdict: formatVerdict(production, history.orchestratorGaps) };
}

/**
 * Returns the history of a stack, or undefined if the event log does not name the stack: the Pillar's events from this
 * stack's first event to its deletion, by their time. Other events belong to other migrations.
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
  const timeline = listItems(chosen);
  const [from, to] = [timeline[0]?.at ?? "", timeline.at(-1)?.at ?? ""];
  const orchestratorGaps = findOrchestratorGaps(chosen);
  const secondsWithoutOrchestrator = sumGaps(orchestratorGaps);
  const figures = { orchestratorGaps, secondsWithoutOrchestrator, window: findWindow(chosen, stack) };
  return { stack, pillar, stacks, from, to, timeline, unread, ...figures };
}

function listItems(entries: readonly LogEntry[]): Item[] {
  const items = entries.flatMap((entry, index): Item[] => {
    const text = formatEvent(entry);
    // Each run may log the wait. Shows the last of these lines, and none once the node is synced.
    const isOver =
      entry.event === "waiting" && findValidEvents(entries, getOwner(entry).stack, "waits").at(-1) !== entry;
    if (text === undefined || isOver) return [];
    const item = { at: getDate(entry), stack: getOwner(entry).stack, event: entry.event, ...text };
    const next = entries.slice(index + 1).find((each) => isRegistration(each) && each.stack === item.stack);
    if (next === undefined) return [item];
    if (entry.event === "registered" && getTime(next) < getTime(entry))
      // A run may see the registration after the first momentum, which proves it.
      return [{ ...item, at: getDate(next), title: `${text.title} (seen at ${item.at.slice(11, 16)})` }];
    if (entry.event !== "registeredElsewhere") return [item];
    const detourSeconds = Math.round((getTime(next) - getTime(entry)) / 1000);
    return [{ ...item, detourSeconds, title: `${text.title} for ${formatDuration(detourSeconds * 1000)}` }];
  });
  items.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  let before: number | undefined;
  return items.map((item) => {
    if (item.weight !== "stage") return item;
    const [time, last] = [Date.parse(item.at), before];
    before = time;
    return last === undefined ? item : { ...item, seconds: Math.round((time - last) / 1000) };
  });
}
