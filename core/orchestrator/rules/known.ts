import type { MoveEvent, WayOfMove } from "../../eventLog/events";
import { isSameMove, type MoveId } from "../../eventLog/moveId";
import type { Known } from "./generation";
import { type SideName, sidesOf } from "./journal";

const ends: readonly string[] = ["done", "rolledBack"];
const numbered: readonly string[] = ["begun", "starting", ...ends];

/**
 * What the record of this machine, and the state of the stack, know of the generations of a Pillar's moves, of all its stacks
 *.
 *
 * @param inState of the last end that the stack's state knows
 */
export function knownOf(events: readonly MoveEvent[], wanted: MoveId, inState = 0): Known {
  let known: Known = { generation: inState, started: inState, ...(inState > 0 ? { move: wanted } : {}) };
  for (const { move, event, details } of events) {
    if (move.pillar !== wanted.pillar || !numbered.includes(event)) continue;
    const { generation } = details as { readonly generation: number };
    if (generation > known.generation) known = { ...known, generation, move };
    if (event !== "begun" && generation > known.started) known = { ...known, started: generation };
  }
  return known;
}

/**
 * The way whose end no line tells: its target was to be started, and it has the signer now. The run that brought it
 * there did not write that down. A way of later that was to start the other side came to nothing.
 */
export function unrecordedEnd(events: readonly MoveEvent[], wanted: MoveId, holder: SideName): WayOfMove | undefined {
  const last = events.findLast(
    (entry) =>
      isSameMove(entry.move, wanted) &&
      (ends.includes(entry.event) || (entry.event === "starting" && sidesOf(entry.details).target === holder)),
  );
  return last?.event === "starting" ? last.details : undefined;
}
