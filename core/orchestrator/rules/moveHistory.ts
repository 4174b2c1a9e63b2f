import type { MoveEvent, MoveLeg } from "../../eventLog/events";
import { isSameMove, type MoveId } from "../../eventLog/moveId";
import type { MoveHistory } from "./generation";
import { assignRoles, type WhichHost } from "./journal";

const ends: readonly string[] = ["done", "rolledBack"];
const numbered: readonly string[] = ["begun", "starting", ...ends];

/** Returns the newest generations of a Pillar's moves. @param inState generation of the last ended move by the state */
export function summarizeMoves(events: readonly MoveEvent[], wanted: MoveId, inState = 0): MoveHistory {
  let known: MoveHistory = { generation: inState, started: inState, ...(inState > 0 ? { move: wanted } : {}) };
  for (const entry of events) {
    const { move, event } = entry;
    if (move.pillar !== wanted.pillar || !numbered.includes(event)) continue;
    const { generation } = entry.details as { readonly generation: number };
    if (generation > known.generation) known = { ...known, generation, move };
    const startedOn = entry.event === "starting" ? entry.details.target : undefined;
    if (event !== "begun" && generation > known.started) known = { ...known, started: generation, startedOn };
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

/** A restore must begin within this time after the fence: later, the lost host may be back. */
const fenceMs = 3_600_000;

/**
 * Returns the fence of a lost host if it is recent or this move began after it, and the orchestrator was not started
 * on that host since. @param hostKey fingerprint of the lost host's ssh key
 */
export function findFence(events: readonly MoveEvent[], wanted: MoveId, hostKey: string, now: number) {
  const at = events.findLastIndex(
    ({ move, event, details }) =>
      move.pillar === wanted.pillar &&
      ((event === "fenced" && details.hostKey === hostKey) || (event === "starting" && details.target === hostKey)),
  );
  const last = events[at];
  if (last?.event !== "fenced") return undefined;
  const hasBegun = events.slice(at).some(({ move, event }) => event === "begun" && isSameMove(move, wanted));
  return hasBegun || now - Date.parse(last.at) < fenceMs ? last.details : undefined;
}
