import fs from "node:fs";
import { isBucket, parseBucketPlace } from "./bucketPlace";
import { createBucketStore } from "./bucketStore";
import { createDirectoryStore, eventLogPath } from "./directoryStore";
import { resolvePlace } from "./recordsDirectory";
import { openBucket } from "./s3";
import type { Store } from "./store";
import { storeFault } from "./storeFault";

/**
 * Opens a Pillar's store. @param configured the operator's directory, or one of formatDefaultPlace or formatBucketPlace
 *
 * @throws storeFault if this machine's records are in another store
 */
export function openStore(configured: string): Store {
  const directory = resolvePlace(configured);
  const log = eventLogPath(directory);
  if (isBucket(configured)) {
    const place = parseBucketPlace(configured);
    if (fs.existsSync(log))
      throw storeFault(
        "the records of this machine are not in the store that is configured; nothing was changed\n" +
          `  found: ${log}, beside ${place.address}\n` +
          `  needed: copy them into the bucket, and rename that file to record.jsonl.moved (docs/unattended.md)`,
      );
    return createBucketStore(openBucket(place), directory);
  }
  if (fs.existsSync(`${log}.moved`))
    throw storeFault(
      (run) =>
        `the records in ${directory} were moved to a bucket, and go on there; nothing was changed\n` +
        `  found: ${log}.moved, and no pillar-host:store in this stack's configuration\n` +
        `  needed: ${run.setTo("store", "ADDRESS")}, with the bucket's address`,
    );
  return createDirectoryStore(directory);
}
