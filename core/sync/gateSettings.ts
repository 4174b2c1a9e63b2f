import type { StackConfig } from "../config/config";
import type { GateSettings } from "./waitForSync";

/** How the gate decides about a stack's node: what `pulumi up` waits for, and what `pillar-host status` shows. */
export function gateSettings(config: Pick<StackConfig, "stack" | "sync" | "node" | "lifecycle">): GateSettings {
  const { stack, sync, node } = config;
  return {
    stack,
    ...unverifiedChain(config),
    confirmations: sync.confirmations,
    confirmSpan: sync.confirmSeconds * 1000,
    tolerance: sync.tolerance,
    deadline: sync.deadline,
    stallAfter: sync.stallMinutes * 60_000,
    check: sync.wait === "check",
    service: node.service,
  };
}

/** Only of an active stack's chain something is decided here: the guards have rules of their own. */
export function unverifiedChain({ lifecycle, sync }: Pick<StackConfig, "lifecycle" | "sync">) {
  return lifecycle === "active" && sync.unverifiedChain === undefined ? {} : { isChainUnverified: true };
}
