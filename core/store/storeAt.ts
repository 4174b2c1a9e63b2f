import { directoryStore } from "./directoryStore";
import { recordsAt } from "./records";
import type { Store } from "./store";

/**
 * The store of a Pillar as it is configured; what an earlier version left elsewhere is in it.
 *
 * @param configured an own directory of the operator's, or recordsWord
 * @throws StoreFault where what lies there is not all, or contradicts what lies in the checkout
 */
export function storeAt(configured: string): Store {
  return directoryStore(recordsAt(configured));
}
