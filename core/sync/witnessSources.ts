import { oldNode } from "../chain/configuredNode";
import type { NodeTarget } from "../chain/node";
import type { StackConfig } from "../config/config";
import { logRef } from "../config/stackStore";
import type { WitnessSources } from "./chainSources";
import { chainSources } from "./gateSettings";

/** Returns who can tell which chain a stack's node is on. Holds the old host's login: secret. */
export function witnessSources(config: StackConfig) {
  return {
    ...chainSources(config),
    record: logRef(config),
    witnessHost: witnessHostOf(config),
  } satisfies WitnessSources;
}

function witnessHostOf(config: StackConfig): NodeTarget | undefined {
  const isKnown = config.sync.oldHost !== undefined || config.orchestrator.migrateFrom !== undefined;
  return isKnown && config.lifecycle === "active" ? oldNode(config).node : undefined;
}
