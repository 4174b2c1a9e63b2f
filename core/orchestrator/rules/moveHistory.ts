import type { MoveEvent, MoveLeg } from "../../eventLog/events.ts";
import { isSameMove, type MoveId } from "../../eventLog/moveId.ts";
import { formatConfirmation } from "./confirmations.ts";
import { applyEvent, type MoveHistory } from "./generation.ts";
import { assignRoles, type WhichHost } from "./journal.ts";

const ends: readonly string[] = ["done", "rolledBack"];

/** Returns the newest generations of a Pillar's moves. @param inState generation of the last ended move by the state */
export function summarizeMoves(events: readonly MoveEvent[], wanted: MoveId, inState = 0): MoveHistory {
  let known: MoveHistory = { generation: inState, started: inState, ...(inState > 0 ? { move: wanted } : {}) };
  for (const entry of events) {
    const { move, event, details } = entry;
    if (move.pillar !== wanted.pillar) continue;
    if (event === "begun" || event === "starting" || event === "done" || event === "rolledBack")
      known = applyEvent(known, event, move, details);
    if (!isSameMove(move, wanted)) continue;
    if (ends.includes(event)) known = { ...known, confirmed: undefined };
    if (event === "confirmed")
      known = { ...known, confirmed: [...(known.confirmed ?? []), formatConfirmation(details.key, details.value)] };
  }
  return known;
}

/**
 * Returns the start that brought the orchestrator to the host that has it, if the end of that move was not logged. A
 * later start of the other host had no effect.
 */
export function findMissingEnd(events: readonly MoveEvent[], wanted: MoveId, holder: WhichHost): MoveLeg | undefined {
  const last = events.findLast(
    (entry) =>
      isSameMove(entry.move, wanted) &&
      (ends.includes(entry.event) || (entry.event === "starting" && assignRoles(entry.details).target === holder)),
  );
  return last?.event === "starting" ? last.details : undefined;
}

/** Returns the host of the first start, unless it is `target`. @param news events since this run has read the log */
export function findRivalStart(news: readonly MoveEvent[], pillar: string, target: string): string | undefined {
  const starts = news.flatMap(({ move, event, details }) =>
    move.pillar === pillar && event === "starting" ? [details.target] : [],
  );
  const first = starts[0];
  return first === target ? undefined : first;
}

/**
 * Returns the fence of a host; undefined if the host was seen, or the orchestrator was started there, since; or if the
 * operator gave up a lost line since, which may have said so.
 */
export function findFence(events: readonly MoveEvent[], pillar: string, hostKey: string) {
  const last = events.findLast(({ move, event, details }) => {
    if (move.pillar !== pillar) return false;
    if (event === "confirmed") return details.key === "lostLine";
    return event === "starting"
      ? details.target === hostKey
      : (event === "fenced" || event === "unfenced") && details.hostKey === hostKey;
  });
  return last?.event === "fenced" ? last : undefined;
}

/** The operator's sentence counts for this time: later, somebody may have switched the host on. */
const sentenceMs = 3_600_000;

/** Returns why a fence proves nothing now, or undefined. @param power what the provider says of the server now */
export function findFenceFault(
  { at, details: { how, address } }: Extract<MoveEvent, { event: "fenced" }>,
  now: number,
  power: string | undefined,
): string | undefined {
  if (how === "off")
    return power === "off" ? undefined : `${address}: its provider does not say now that it is off: ${power}`;
  const age = now - Date.parse(at);
  return age >= 0 && age < sentenceMs
    ? undefined
    : `${address}: the sentence of its fence, given at ${at}, counts for an hour`;
}
