import { oldNode } from "../chain/configuredNode";
import type { NodeTarget } from "../chain/node";
import type { StackConfig } from "../config/config";
import { logRef } from "../config/stackStore";
import { unverifiedChain } from "./gateSettings";
import type { LookupOptions } from "./nodeStatus";

/** Returns what a lookup at a stack's own node needs. Holds the old host's login: secret. */
export function lookupSettings(config: StackConfig) {
  const { sync } = config;
  const witnessHost = witnessHostOf(config);
  return {
    references: sync.references,
    tolerance: sync.tolerance,
    record: logRef(config),
    ...unverifiedChain(config),
    witnessHost,
  } satisfies LookupOptions;
}

function witnessHostOf(config: StackConfig): NodeTarget | undefined {
  const isKnown = config.sync.oldHost !== undefined || config.orchestrator.migrateFrom !== undefined;
  return isKnown && config.lifecycle === "active" ? oldNode(config).node : undefined;
}
