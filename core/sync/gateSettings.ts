import { createOldHost } from "../chain/configuredNode.ts";
import type { NodeTarget } from "../chain/node.ts";
import type { StackConfig } from "../config/config.ts";
import { createStackLogRef } from "../config/stackStore.ts";
import type { ChainSources, WitnessSources } from "./judgeWitnesses.ts";

export type GateSettings = ReturnType<typeof createGateSettings>;

export function createGateSettings(config: Pick<StackConfig, "stack" | "sync" | "node" | "lifecycle">) {
  const { stack, sync, node } = config;
  return {
    stack,
    ...createChainSources(config),
    /** Good lookups in a row that a proof needs. */
    confirmations: sync.confirmations,
    /** Milliseconds that these lookups must span. */
    confirmSpan: sync.confirmSeconds * 1000,
    /** Milliseconds that one run waits. */
    deadline: sync.deadline,
    /** Milliseconds without a new height that count as a stall. */
    stallAfter: sync.stallMinutes * 60_000,
    wait: sync.wait,
    service: node.service,
    dataDir: node.dataDir,
  };
}

/** Returns the references of a stack. Only the active lifecycle needs a witness here: the guards have rules of their own. */
export function createChainSources({ lifecycle, sync }: Pick<StackConfig, "lifecycle" | "sync">): ChainSources {
  const { references, tolerance } = sync;
  const isVerified = lifecycle === "active" && sync.unverifiedChain === undefined;
  return isVerified ? { references, tolerance } : { references, tolerance, isChainUnverified: true };
}

/** Returns all nodes that can confirm a node's chain. Secret, because it holds the old host's login. */
export function createWitnessSources(config: StackConfig) {
  return {
    ...createChainSources(config),
    log: createStackLogRef(config),
    witnessHost: findWitnessHost(config),
  } satisfies WitnessSources;
}

function findWitnessHost(config: StackConfig): NodeTarget | undefined {
  return config.oldHost && config.lifecycle === "active" ? createOldHost(config).node : undefined;
}
