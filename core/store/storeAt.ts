import fs from "node:fs";
import { bucketPlace, isBucket } from "./bucketPlace";
import { bucketStore } from "./bucketStore";
import { directoryStore, eventLogFile } from "./directoryStore";
import { movedAwayText, movedTo, notMovedText } from "./moved";
import { meantPlace } from "./places";
import type { Store } from "./store";
import { storeFault } from "./storeFault";

/**
 * Opens the store of a Pillar as it is configured.
 *
 * @param configured an own directory of the operator's, recordsWord, or placeInBucket
 * @throws storeFault where the records, or a part of them, are in another store
 */
export function storeAt(configured: string): Store {
  const directory = meantPlace(configured);
  if (isBucket(configured)) {
    const place = bucketPlace(configured);
    // What this machine alone knows would be missed.
    if (fs.existsSync(eventLogFile(directory))) throw storeFault(notMovedText(directory, place.shown));
    return bucketStore(place, directory);
  }
  const elsewhere = movedTo(directory);
  if (elsewhere !== undefined) throw storeFault(movedAwayText(directory, elsewhere));
  return directoryStore(directory);
}
