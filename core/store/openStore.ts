import fs from "node:fs";
import { bucketPlace, isBucket } from "./bucketPlace";
import { bucketStore } from "./bucketStore";
import { directoryStore, eventLogFile } from "./directoryStore";
import { meantPlace } from "./recordsDirectory";
import type { Store } from "./store";
import { storeFault } from "./storeFault";

/**
 * Opens a Pillar's store. @param configured the operator's directory, recordsWord, or placeInBucket
 *
 * @throws storeFault if this machine's records are in another store
 */
export function storeAt(configured: string): Store {
  const directory = meantPlace(configured);
  const log = eventLogFile(directory);
  if (isBucket(configured)) {
    const place = bucketPlace(configured);
    if (fs.existsSync(log))
      throw storeFault(
        "the records of this machine are not in the store that is configured; nothing was changed\n" +
          `  found: ${log}, beside ${place.shown}\n` +
          `  needed: copy them into the bucket, and rename that file to record.jsonl.moved (docs/unattended.md)`,
      );
    return bucketStore(place, directory);
  }
  if (fs.existsSync(`${log}.moved`))
    throw storeFault(
      (run) =>
        `the records in ${directory} were moved to a bucket, and go on there; nothing was changed\n` +
        `  found: ${log}.moved, and no pillar-host:store in this stack's configuration\n` +
        `  needed: ${run.setTo("store", "ADDRESS")}, with the bucket's address`,
    );
  return directoryStore(directory);
}
