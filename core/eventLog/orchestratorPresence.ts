import type { StackConfig } from "../config/config.ts";
import { openStackStore } from "../config/stackStore.ts";
import { readMoveEvents } from "./eventLog.ts";
import { createMoveId, isSameOwner } from "./moveId.ts";

/**
 * True if a stack's host has or will have an orchestrator, so that its port must be open. Decides by the configuration,
 * else by the last move in this machine's event log, else by `shown`, the state's `new` or `old` host. A wrong yes does
 * no harm: nothing listens on the open port.
 */
export async function hasOrchestrator(config: StackConfig, shown?: string): Promise<boolean> {
  const { move, release } = config.orchestrator;
  if (move || release !== undefined) return true;
  const own = createMoveId(config);
  const events = await readMoveEvents(openStackStore(config));
  const last = events.findLast(
    ({ move, event }) =>
      move.attempt !== undefined &&
      isSameOwner(move, own) &&
      (event === "secured" || event === "done" || event === "rolledBack"),
  );
  return last === undefined ? shown === "new" : last.event !== "rolledBack";
}
