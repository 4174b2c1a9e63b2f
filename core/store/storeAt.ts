import fs from "node:fs";
import { bucketPlace, isBucket } from "./bucketPlace";
import { bucketStore } from "./bucketStore";
import { storeFault } from "./contradiction";
import { directoryStore, eventLogFile } from "./directoryStore";
import { movedAwayText, movedTo, notMovedText } from "./moved";
import { recordsAt } from "./records";
import type { Store } from "./store";

/**
 * The store of a Pillar as it is configured; what an earlier version left elsewhere is in it.
 *
 * @param configured an own directory of the operator's, recordsWord, or placeInBucket
 * @throws storeFault where what lies there is not all: it contradicts what lies in the checkout, or is in another store
 */
export function storeAt(configured: string): Store {
  const directory = recordsAt(configured);
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
