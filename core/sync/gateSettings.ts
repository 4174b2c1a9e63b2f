import type { StackConfig } from "../config/config";
import type { ChainSources } from "./chainSources";
import type { GateSettings } from "./waitForSync";

/** How the gate decides about a stack's node: what `pulumi up` waits for, and what `pillar-host status` shows. */
export function gateSettings(config: Pick<StackConfig, "stack" | "sync" | "node" | "lifecycle">): GateSettings {
  const { stack, sync, node } = config;
  return {
    stack,
    ...chainSources(config),
    confirmations: sync.confirmations,
    confirmSpan: sync.confirmSeconds * 1000,
    deadline: sync.deadline,
    stallAfter: sync.stallMinutes * 60_000,
    check: sync.wait === "check",
    service: node.service,
  };
}

/** Returns whom a stack asks about the chain. The guards, which decide in the other lifecycles, have rules of their own. */
export function chainSources({ lifecycle, sync }: Pick<StackConfig, "lifecycle" | "sync">): ChainSources {
  const { references, tolerance } = sync;
  const isVerified = lifecycle === "active" && sync.unverifiedChain === undefined;
  return isVerified ? { references, tolerance } : { references, tolerance, isChainUnverified: true };
}
