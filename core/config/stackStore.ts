import { formatBucketAddress } from "../store/bucketAddress.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import { formatDefaultStore } from "../store/storeDirectory.ts";
import type { StackConfig } from "./config.ts";

/** Returns the place of event log and backups for a resource's input: configured, or the default. Never a secret. */
export function chooseStore({ pillar, store, orchestrator }: StackConfig): string {
  if (store !== undefined) return formatBucketAddress(store, pillar.name);
  return orchestrator.backup.directory ?? formatDefaultStore(pillar.name);
}

export function createStackLogRef(config: StackConfig) {
  return { directory: chooseStore(config), stack: config.stack, pillar: config.pillar.name };
}

/** @throws Error for the operator */
export function openStackStore(config: StackConfig): Store {
  return openStore(chooseStore(config), config.stack);
}
