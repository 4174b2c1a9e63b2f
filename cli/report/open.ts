import type { EventName, LogEvent } from "../../core/eventLog/events";
import { isSameMove } from "../../core/eventLog/moveId";
import { commandsFor } from "../../core/util/commands";
import { movesOf, type Scope, timeOf } from "./scope";

/** What the record says is still to be done, a stack after the other (pure). */
export function openOf(scope: Scope): { stack: string; text: string }[] {
  const { events, moves, stacks } = scope;
  return stacks.flatMap((stack) => {
    const text = openOn(stack, events);
    const own = movesOf(moves).filter((move) => move.stack === stack);
    const isMoving = own.some(
      (move) => !moves.some((line) => isSameMove(line.move, move) && ["done", "rolledBack"].includes(line.event)),
    );
    return [
      ...(text === undefined ? [] : [{ stack, text }]),
      ...(isMoving ? [{ stack, text: `the signer's move has not ended: ${commandsFor(stack).up}` }] : []),
    ];
  });
}

function openOn(stack: string, events: readonly LogEvent[]): string | undefined {
  const own = events.filter((entry) => entry.stack === stack);
  const latest = (...events: EventName[]) => own.findLast(({ event }) => events.includes(event));
  const step = latest("host", "waiting", "synced", "registered", "producing", "shutDown", "rewards", "released");
  const successor = events.findLast((entry) => entry.event === "producing");
  const isReplaced = step && successor && successor.stack !== stack && timeOf(successor) >= timeOf(step);
  switch (step?.event) {
    case "released":
    case undefined:
      return undefined;
    case "shutDown":
      return `collect the rewards in the wallet, then ${commandsFor(stack).destroy}`;
    case "rewards":
      return `${commandsFor(stack).destroy}`;
    default:
  }
  if (isReplaced)
    return `${successor.stack} produces by now: ${commandsFor(stack).retire(successor.stack)} shuts this host down`;
  const early = latest("registeredTooEarly");
  switch (step?.event) {
    case "host":
    case "waiting":
      return early
        ? "registered too early: its node is not synced"
        : `its node is not synced: ${commandsFor(stack).up}`;
    case "synced":
      return `register its producer address in the wallet, then ${commandsFor(stack).up}`;
    case "registered":
      return `registered, its first momentum was not seen yet: ${commandsFor(stack).up}`;
    default:
      return undefined;
  }
}
