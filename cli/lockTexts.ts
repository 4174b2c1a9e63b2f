import { commandsFor } from "../core/util/commands";
import { minuteText } from "../core/util/timeText";
import type { Holder, Lock } from "./lock";

/** A lock and what is known of its run. */
export interface Held {
  readonly lock: Lock;
  readonly holder: Holder;
}

/** `process 4242 of root on host1, since 2026-11-21 14:49 UTC` (pure). */
export function holderText({ user, host, pid, since }: Lock): string {
  return `process ${pid} of ${user} on ${host}, since ${Number.isNaN(since) ? "a time that is not told" : minuteText(since)}`;
}

/**
 * What becomes of a stack's locks (pure): all of them go, or none does, because pulumi clears all at once.
 *
 * @param held empty where the backend names nobody
 * @param here this machine's name
 * @param overruled the operator says that the run is gone
 * @returns what is said of it, and whether the locks may be cleared
 */
export function decideLocks(
  stack: string,
  held: readonly Held[],
  here: string,
  overruled: boolean,
): { clear: boolean; text: string } {
  const living = held.filter(({ holder }) => holder === "lives");
  if (living.length > 0) {
    const [first] = living;
    return {
      clear: false,
      text: `${stack} is locked by a run that is at work: ${living.map(({ lock }) => holderText(lock)).join("; ")}
Nothing was changed. Let it go on (${commandsFor(stack).status("--watch")} shows how far it is). To stop it, press Ctrl-C
in its terminal, a second time where it waits for the sync; or: kill -INT ${first?.lock.pid}
  then: ${commandsFor(stack).resume()}`,
    };
  }
  const unknown = held.filter(({ holder }) => holder === "unknown");
  if (held.length > 0 && unknown.length === 0) {
    const were = held.map(({ lock }) => holderText(lock)).join("; ");
    return { clear: true, text: `lock: ${were}. That run is gone: cleared (pulumi cancel).` };
  }
  const who = held.length === 0 ? "a run of which the backend tells nothing" : unknown.map((one) => doubt(one, here));
  if (overruled) return { clear: true, text: `lock: ${[who].flat().join("; ")}. Cleared, as --lock-is-stale says.` };
  return {
    clear: false,
    text: `${stack} is locked by ${[who].flat().join("; ")}
Nothing was changed. Only if you know that this run is gone:
  ${commandsFor(stack).resume("--lock-is-stale")}
If it lives all the same, two runs then work on one host and write one state: what the first one to end has recorded is
lost.`,
  };
}

function doubt({ lock }: Held, here: string): string {
  const where = lock.host === here ? "its process id is in use, perhaps by another run" : `not this machine, ${here}`;
  return `${holderText(lock)} (${where})`;
}
