import { formatBucketPlace } from "../store/bucketPlace.ts";
import { openStore } from "../store/openStore.ts";
import { formatDefaultPlace } from "../store/recordsDirectory.ts";
import type { Store } from "../store/store.ts";
import type { StackConfig } from "./config.ts";

/** Returns the place of event log and backups for a resource's input: configured, or the default. Never a secret. */
export function chooseRecordsPlace({ pillar, store, orchestrator }: StackConfig): string {
  if (store !== undefined) return formatBucketPlace(store, pillar.name);
  return orchestrator.backup.directory ?? formatDefaultPlace(pillar.name);
}

export function createStackLogRef(config: StackConfig) {
  return { directory: chooseRecordsPlace(config), stack: config.stack, pillar: config.pillar.name };
}

/** @throws Error for the operator */
export function openStackStore(config: StackConfig): Store {
  return openStore(chooseRecordsPlace(config), config.stack);
}
