import type { EventName } from "../../core/eventLog/events";
import { isSameMove } from "../../core/eventLog/moveId";
import type { Phase } from "./reportTypes";
import { happenedAt, type Scope, timeOf } from "./scope";

/** What lies between two stages, under the name of what it was spent on. */
const between: readonly (readonly [from: readonly EventName[], to: EventName, title: string])[] = [
  [["host"], "synced", "host set up, node synced"],
  [["synced"], "registered", "until the wallet was updated"],
  [["registered"], "producing", "until the first momentum"],
  [["shutDown"], "rewards", "until the rewards were collected"],
  [["shutDown", "rewards"], "released", "until it was let go"],
];

/** What the stacks were busy with, as far as both ends of it are recorded (pure). */
export function phasesOf({ events, moves, stacks }: Scope): Phase[] {
  const phases = stacks.flatMap((stack) => {
    const own = events.filter((entry) => entry.stack === stack);
    return own.flatMap((entry): Phase[] => {
      const found = between.filter(([, to]) => to === entry.event);
      return found.flatMap(([from, , title]) => {
        const begun = own.findLast((each) => from.includes(each.event) && timeOf(each) <= timeOf(entry));
        return begun ? [{ stack, title, from: happenedAt(begun), to: happenedAt(entry) }] : [];
      });
    });
  });
  // The old host goes on until the operator shuts it down: the time in which both could produce.
  const shutDown = events.flatMap((entry): Phase[] => {
    if (entry.event !== "shutDown") return [];
    const successor = events.findLast(
      (each) => each.event === "producing" && each.stack !== entry.stack && timeOf(each) <= timeOf(entry),
    );
    const { stack } = entry;
    return successor ? [{ stack, title: "replaced, until shut down", from: happenedAt(successor), to: entry.at }] : [];
  });
  const signer = moves.flatMap((entry): Phase[] => {
    if (entry.event !== "done" && entry.event !== "rolledBack") return [];
    const first = moves.find(({ move, event }) => isSameMove(move, entry.move) && event === "secured");
    const { stack } = entry.move;
    return first ? [{ stack, title: "signer secured and moved", from: first.at, to: happenedAt(entry) }] : [];
  });
  return [...phases, ...shutDown, ...signer].sort((a, b) => Date.parse(a.from) - Date.parse(b.from));
}
