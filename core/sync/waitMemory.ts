import type { EventLog } from "../eventLog/eventLog.ts";
import type { EventDetails, LogEvent } from "../eventLog/events.ts";
import { findValidEvents } from "../eventLog/guardFacts.ts";
import { isSameDisk } from "../ssh/publicKey.ts";
import type { GateSettings } from "./gateSettings.ts";
import { type HeightStanding, hour } from "./progress.ts";

type Waiting = EventDetails["waiting"];
type WaitHost = Pick<Waiting, "address" | "hostKey" | "setUp">;
type WaitSettings = Pick<GateSettings, "stack" | "stallAfter" | "wait">;

/** `isLate`: the wait has lasted for the configured deadline. */
export type WaitStanding = HeightStanding & { readonly isLate: boolean };

/**
 * Returns what earlier runs logged of an unfinished wait for a host; undefined if they logged nothing, or by a clock that
 * was ahead: until that time comes, no stall and no deadline would count.
 */
export function findWaiting(events: readonly LogEvent[], stack: string, host: WaitHost): Waiting | undefined {
  const last = findValidEvents(events, stack, "waits").at(-1)?.details;
  const isAhead = last !== undefined && Date.parse(last.since) > Date.now() + hour;
  const isOurs = last && isSameDisk({ setUp: undefined, ...last }, { setUp: undefined, ...host });
  return isOurs && !isAhead ? last : undefined;
}

/**
 * Logs a wait if later runs need the line. A growing height is logged once an hour: a sync takes days. @throws if it can't
 * be written in a run that looks once: without its line, no later run would notice a stall or the deadline
 */
export async function noteWaiting(
  log: EventLog,
  { stack, stallAfter, wait }: WaitSettings,
  start: WaitHost & Pick<Waiting, "startedAt" | "startHeight" | "earlier">,
  { height, at, isStalled, isLate }: WaitStanding,
): Promise<void> {
  const since = new Date(Date.now() - (performance.now() - at)).toISOString();
  const now: Waiting = { ...start, height, since, isStalled: isStalled || undefined, isLate: isLate || undefined };
  await log.noteChanges((events) => {
    const before = findWaiting(events, stack, now);
    const isDue = Date.parse(since) - Date.parse(before?.since ?? "") >= Math.max(stallAfter, hour);
    const keys = [
      ...(["startHeight", "earlier", "isStalled", "isLate"] as const),
      ...(isDue ? ["height" as const] : []),
    ];
    const isKnown = before !== undefined && keys.every((key) => before[key] === now[key]);
    return isKnown ? [] : [{ event: "waiting", details: now } as const];
  }, wait === "await");
}

/**
 * Returns the standing of the height at the first lookup of a run that looks once. `before`: the height that the runs
 * before logged. A node that is silent now may have grown since then, so its stall counts from now on.
 */
export function resumeStanding(
  before: Pick<Waiting, "height" | "since" | "isStalled"> | undefined,
  height: number | undefined,
  { ticks, now }: { ticks(): number; now(): number },
): HeightStanding {
  const isStalled = before?.isStalled === true;
  const isSilent = height === undefined && before?.height !== undefined && !isStalled;
  if (before === undefined || isSilent) return { at: ticks(), isStalled };
  return { height: before.height, at: ticks() - (now() - Date.parse(before.since)), isStalled };
}
