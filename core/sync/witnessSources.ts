import { createOldNode } from "../chain/configuredNode";
import type { NodeTarget } from "../chain/node";
import type { StackConfig } from "../config/config";
import { createStackLogRef } from "../config/stackStore";
import type { WitnessSources } from "./chainSources";
import { createChainSources } from "./gateSettings";

/** Returns all nodes that can confirm a node's chain. Secret, because it holds the old host's login. */
export function createWitnessSources(config: StackConfig) {
  return {
    ...createChainSources(config),
    record: createStackLogRef(config),
    witnessHost: findWitnessHost(config),
  } satisfies WitnessSources;
}

function findWitnessHost(config: StackConfig): NodeTarget | undefined {
  const isKnown = config.sync.oldHost !== undefined || config.orchestrator.migrateFrom !== undefined;
  return isKnown && config.lifecycle === "active" ? createOldNode(config).node : undefined;
}
