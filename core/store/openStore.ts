import fs from "node:fs";
import { commandsFor } from "../util/commands.ts";
import { ProblemError } from "../util/problem.ts";
import { isBucket, parseBucketAddress } from "./bucketAddress.ts";
import { createBucketStore } from "./bucketStore.ts";
import { createDirectoryStore, resolveEventLogPath } from "./directoryStore.ts";
import type { Store } from "./store.ts";
import { resolveStoreDirectory } from "./storeDirectory.ts";

/**
 * Opens a Pillar's store. @param configured the operator's directory, or one of formatDefaultStore or formatBucketAddress
 *
 * @throws in the operator's words if this machine's records are in another store
 */
export function openStore(configured: string, stack = "STACK"): Store {
  const directory = resolveStoreDirectory(configured);
  const log = resolveEventLogPath(directory);
  if (isBucket(configured)) {
    const place = parseBucketAddress(configured);
    if (fs.existsSync(log))
      throw new ProblemError({
        what: "the event log is on this machine, but a bucket is configured for it; nothing was changed",
        found: `${log}, beside ${place.address}`,
        needed: "copy the event log into the bucket, and rename that file to record.jsonl.moved (docs/unattended.md)",
      });
    return createBucketStore(place, directory);
  }
  if (fs.existsSync(`${log}.moved`))
    throw new ProblemError({
      what: `the event log in ${directory} was moved to a bucket; nothing was changed`,
      found: `${log}.moved, and no pillar-host:store in this stack's configuration`,
      needed: `set the bucket's address: ${commandsFor(stack).setTo("store", "ADDRESS")}`,
    });
  return createDirectoryStore(directory);
}
