import { isSameMove } from "../../eventLog/moveId.ts";
import type { Teller } from "../../util/clock.ts";
import { decideNext } from "../rules/generation.ts";
import { type HostState, type HostStates, hasStagedNothing, type Saga } from "../rules/journal.ts";
import { freshRun } from "../rules/moveSteps.ts";
import { Copier } from "./copier.ts";
import { HostPair } from "./hostPair.ts";
import type { MoveInputs } from "./moveInputs.ts";

/**
 * Creates the key with which the new host pulls the bulk copy, right before it does, and authorizes it on the old one,
 * if a move is about to begin. Does not connect to the old host if the new host's journal says that the move has begun
 * or ended. The bulk copy only saves time, so a problem is printed and fails nothing: the move meets it again. However
 * the move ends, it removes the key.
 */
export async function prepareBulkCopy(inputs: MoveInputs, deps: Teller, pair?: HostPair): Promise<void> {
  if (inputs.rollback || inputs.restoreFrom !== undefined) return;
  const saga: Saga = { move: inputs.move, direction: "forward" };
  const sides = pair ?? new HostPair(inputs, deps);
  try {
    // As if the old host were unreachable: reads only the new one.
    const { new: fresh } = await sides.look({ old: undefined, new: { active: false, masked: false } });
    if (!isToBegin(fresh, saga)) return;
    const states = await sides.lock(await sides.look());
    const next = decideNext(saga, states, freshRun);
    const isNext = next.do === "bulk" && next.saga.direction === "forward" && isSameMove(next.saga.move, saga.move);
    if (isNext && isToBegin(states.new, saga))
      await authorizeKey(next.saga, states, sides, new Copier(inputs, sides, deps.say));
  } catch (error) {
    deps.say(`the bulk copy before the move is left out: ${(error as Error).message}`);
  } finally {
    sides.close();
  }
}

function isToBegin(look: HostState, { move }: Saga): boolean {
  return look?.active === false && hasStagedNothing(look.journal, move);
}

async function authorizeKey(saga: Saga, states: HostStates, sides: HostPair, copier: Copier): Promise<void> {
  try {
    await copier.allow(saga, states);
    await sides.call({ side: "new", name: "orchestrator_copy_key_waits", states });
  } catch (error) {
    await copier.end(states);
    throw error;
  }
}
