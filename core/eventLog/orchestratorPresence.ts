import type { StackConfig } from "../config/config";
import { project } from "../config/configFaults";
import { openStackStore } from "../config/stackStore";
import { readMoveEvents } from "./eventLog";
import { isSameOwner } from "./moveId";

/**
 * Whether a stack's host has a signer, or is about to have one: its port must be open. Either the configuration says so
 * or, where its block was taken out, this machine's record: a move that began and did not go back; or, where that tells of
 * none, the stack's state. A port without a listener harms nobody.
 *
 * @param shown the side that the signer was on, as the last run showed it
 */
export async function hasSigner(config: StackConfig, stack: string, shown?: string): Promise<boolean> {
  const { migrateFrom, release } = config.orchestrator;
  if (migrateFrom !== undefined || release !== undefined) return true;
  const owner = { project, stack, pillar: config.pillar.name };
  const events = await readMoveEvents(openStackStore(config));
  const last = events.findLast(
    ({ move, event }) =>
      move.attempt !== undefined &&
      isSameOwner(move, owner) &&
      (event === "secured" || event === "done" || event === "rolledBack"),
  );
  return last === undefined ? shown === "new" : last.event !== "rolledBack";
}
