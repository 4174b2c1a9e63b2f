import { placeInBucket } from "../store/bucketPlace";
import { storeAt } from "../store/openStore";
import { meantPlace, recordsWord } from "../store/recordsDirectory";
import type { Store } from "../store/store";
import { ofStack } from "../store/storeFault";
import type { StackConfig } from "./config";

/** Returns the place of event log and backups as inputs name it: configured, or the user's default. Never a secret. */
export function backupDirectory({ pillar, store, orchestrator }: StackConfig): string {
  if (store !== undefined) return placeInBucket(store, pillar.name);
  return orchestrator.backup.directory ?? recordsWord(pillar.name);
}

export function logRef(config: StackConfig) {
  return { directory: backupDirectory(config), stack: config.stack, pillar: config.pillar.name };
}

/** Returns the directory of the records on this machine, absolute. */
export function backupPlace(config: StackConfig): string {
  return meantPlace(backupDirectory(config));
}

/** @throws storeFault */
export function openStackStore(config: StackConfig): Store {
  return ofStack(config.stack, () => storeAt(backupDirectory(config)));
}
