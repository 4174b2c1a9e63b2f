import crypto from "node:crypto";
import { isSameMove } from "../../eventLog/moveId";
import type { RunMemory } from "../rules/decide";
import { decideNext } from "../rules/generation";
import { hasStagedNothing, type Saga } from "../rules/journal";
import type { Looks, SideLook } from "../rules/sagaLooks";
import { createCopier } from "./copyKey";
import { type HostPair, type HostPairDeps, openHostPair } from "./hostPair";
import type { CopyInputs, MoveInputs } from "./moveInputs";

/** What the key of the bulk copy is made for; plain values, as its provider gets them. */
export interface BulkCopyKeyInputs extends CopyInputs, Pick<MoveInputs, "move" | "rollback"> {}

const unseen: Looks = { old: "outOfSight", new: "outOfSight" };
const begins: RunMemory = { bulkCopied: false, stopped: false, backedUp: false, failed: false };

/**
 * Makes the key of the bulk copy on the new host, and gives it its right on the old one, where a move is to begin there. Does
 * not connect to the old host where the new one's journal says that it has begun or ended.
 *
 * The bulk copy spares the move nothing but time, so nothing here is a failure: the move that follows meets what is wrong, and
 * says so. What was given is taken back at once where it is of no use, else by the move, however that ends.
 */
export async function prepareBulkCopy(
  inputs: BulkCopyKeyInputs,
  deps: HostPairDeps,
  open: typeof openHostPair = openHostPair,
): Promise<void> {
  if (inputs.rollback) return;
  const saga: Saga = { move: inputs.move, direction: "forward" };
  const sides = open(inputs, crypto.randomBytes(8).toString("hex"), deps);
  try {
    const { new: fresh } = await sides.look(saga, { ...unseen, new: nothingKnown });
    if (!isToBegin(fresh, saga)) return;
    const looks = await sides.look(saga);
    const next = bulkNext(saga, looks);
    if (next) await prepare(inputs, next, sides, looks, deps);
  } catch (error) {
    deps.say(`nothing is copied beforehand: ${(error as Error).message}`);
  } finally {
    sides.close();
  }
}

/** A look that was not taken yet, of a host that is to be looked at. */
const nothingKnown: SideLook = { active: false, masked: false };

function isToBegin(look: SideLook, { move }: Saga): boolean {
  return look !== "outOfSight" && !look.active && hasStagedNothing(look.journal, move);
}

/** The way that begins, by the move's own rules. */
function bulkNext(saga: Saga, looks: Looks): Saga | undefined {
  const next = decideNext(saga, looks, begins);
  const isIt = next.do === "bulk" && next.saga.direction === "forward" && isSameMove(next.saga.move, saga.move);
  return isIt ? next.saga : undefined;
}

async function prepare(
  inputs: BulkCopyKeyInputs,
  saga: Saga,
  sides: HostPair,
  before: Looks,
  deps: HostPairDeps,
): Promise<void> {
  const copier = createCopier(inputs, sides, deps.say);
  let looks = before;
  try {
    await sides.take(saga, looks);
    // Another run may have gone on until now.
    looks = await sides.look(saga, looks);
    if (!isToBegin(looks.new, saga) || !bulkNext(saga, looks)) return;
    await copier.allow(saga, looks);
    await sides.call("new", "signer_copy_key_waits", saga);
  } catch (error) {
    for (const line of await copier.end(saga, looks)) deps.say(line);
    throw error;
  } finally {
    await sides.drop(saga, looks);
  }
}
