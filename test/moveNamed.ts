import { type MoveId, parseMove } from "../core/eventLog/moveId.ts";

/** Parses a move's name. */
export function moveNamed(text: string): MoveId {
  const move = parseMove(text);
  if (move === undefined) throw new Error(`${text} names no move`);
  return move;
}
