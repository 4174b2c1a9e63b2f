import { stackSchema } from "../../core/config/stackSchema";
import type { GateSettings } from "../../core/sync/waitForSync";

/** Returns the gate's settings of a stack that configures none. */
export function gateSettings(): GateSettings {
  const { confirmations, confirmSeconds, tolerance, deadline, stallMinutes } = stackSchema.shape.sync.parse(undefined);
  return {
    isChainUnverified: true,
    confirmations,
    tolerance,
    deadline,
    wait: "block",
    stack: "lab",
    service: "go-node",
    confirmSpan: confirmSeconds * 1000,
    stallAfter: stallMinutes * 60_000,
  };
}
