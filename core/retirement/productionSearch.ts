import { momentumPage } from "../chain/chain";
import { isAnswered } from "../chain/reading";
import type { ChainReading } from "./readChain";

/** Enough for a week. */
const maxPages = 60;

/** Searches momentums of an address since a time; undefined if the first good node can't show them all. */
export async function hasProducedSince(
  readings: readonly ChainReading[],
  address: string,
  since: number,
): Promise<boolean | undefined> {
  const reading = readings.find(isAnswered);
  if (reading === undefined) return undefined;
  const { client, newest } = reading;
  try {
    const floor = ((await client.before(since))?.height ?? 0) + 1;
    let top = newest.height;
    for (let page = 0; page < maxPages && top >= floor; page += 1) {
      const from = Math.max(floor, top - momentumPage + 1);
      const momentums = await client.momentums(from, top - from + 1);
      if (momentums.length < top - from + 1) return undefined;
      if (momentums.some(({ producer }) => producer === address)) return true;
      top = from - 1;
    }
    return top < floor ? false : undefined;
  } catch {
    return undefined;
  }
}
