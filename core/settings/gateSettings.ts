import type { StackConfig } from "../config/config";
import type { GateSettings } from "../sync/waitForSync";

/** How the gate decides about a stack's node: what `pulumi up` waits for, and what `pillar-host status` shows (pure). */
export function gateSettings({ stack, sync, node }: Pick<StackConfig, "stack" | "sync" | "node">): GateSettings {
  return {
    stack,
    confirmations: sync.confirmations,
    confirmSpan: sync.confirmSeconds * 1000,
    tolerance: sync.tolerance,
    deadline: sync.deadline,
    stallAfter: sync.stallMinutes * 60_000,
    check: sync.wait === "check",
    service: node.service,
  };
}
