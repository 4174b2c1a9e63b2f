import type { StackConfig } from "../config/config";
import type { ChainSources } from "./chainSources";
import type { GateSettings } from "./waitForSync";

export function createGateSettings(config: Pick<StackConfig, "stack" | "sync" | "node" | "lifecycle">): GateSettings {
  const { stack, sync, node } = config;
  return {
    stack,
    ...createChainSources(config),
    confirmations: sync.confirmations,
    confirmSpan: sync.confirmSeconds * 1000,
    deadline: sync.deadline,
    stallAfter: sync.stallMinutes * 60_000,
    wait: sync.wait,
    service: node.service,
  };
}

/** Returns the nodes that a stack asks about the chain. In the other lifecycles the guards have their own rules. */
export function createChainSources({ lifecycle, sync }: Pick<StackConfig, "lifecycle" | "sync">): ChainSources {
  const { references, tolerance } = sync;
  const isVerified = lifecycle === "active" && sync.unverifiedChain === undefined;
  return isVerified ? { references, tolerance } : { references, tolerance, isChainUnverified: true };
}
