import type { StackConfig } from "../config/config";
import { project } from "../config/configFaults";
import { openStackStore } from "../config/stackStore";
import { readMoveEvents } from "./eventLog";
import { isSameOwner } from "./moveId";

/**
 * True if a stack's host has an orchestrator, or will have one, so that its port must be open. Decides by the
 * configuration; if its block was removed, by the last move in this machine's event log; if the log has no move, by the
 * stack's state. A wrong yes does no harm: nothing listens on the open port.
 *
 * @param shown the host with the orchestrator at the end of the last run: `new` or `old`
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
