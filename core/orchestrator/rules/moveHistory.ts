import type { Fence, MoveEvent, MoveLeg } from "../../eventLog/events";
import { isSameMove, type MoveId } from "../../eventLog/moveId";
import type { MoveHistory } from "./generation";
import { assignRoles, type WhichHost } from "./journal";

const ends: readonly string[] = ["done", "rolledBack"];
const numbered: readonly string[] = ["begun", "starting", ...ends];

/** Returns the generations of all moves of a Pillar. @param inState generation of the last end in the stack's state */
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
 * Returns the start that brought the orchestrator to its holder if that run failed to log the end. A later start of the
 * other host had no effect.
 */
export function findMissingEnd(events: readonly MoveEvent[], wanted: MoveId, holder: WhichHost): MoveLeg | undefined {
  const last = events.findLast(
    (entry) =>
      isSameMove(entry.move, wanted) &&
      (ends.includes(entry.event) || (entry.event === "starting" && assignRoles(entry.details).target === holder)),
  );
  return last?.event === "starting" ? last.details : undefined;
}

/**
 * Finds the host that a start with the same number or a higher one named first, if it is another one than `leg`'s
 * target: two restores of one lost host may run at once.
 */
export function findRivalStart(events: readonly MoveEvent[], pillar: string, leg: MoveLeg): string | undefined {
  const first = events.find(
    ({ move, event, details }) =>
      move.pillar === pillar && event === "starting" && details.generation >= leg.generation,
  );
  const target = first?.event === "starting" ? first.details.target : undefined;
  return target === leg.target ? undefined : target;
}

/** Returns the fence of a host, unless the orchestrator was started there since. @param hostKey its fingerprint */
export function findFence(events: readonly MoveEvent[], pillar: string, hostKey: string): Fence | undefined {
  const last = events.findLast(
    ({ move, event, details }) =>
      move.pillar === pillar &&
      ((event === "fenced" && details.hostKey === hostKey) || (event === "starting" && details.target === hostKey)),
  );
  return last?.event === "fenced" ? last.details : undefined;
}
