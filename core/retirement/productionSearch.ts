import { momentumPage } from "../chain/chain";
import { isAnswered } from "../chain/reading";
import type { ChainReading } from "./readChain";

/** Pages of momentums that a proof of "never produced" may take: a week of them. */
const historyPages = 60;

/** Whether an address has produced since a time, as the first good source tells; undefined where it can't be told. */
export async function hasProducedSince(
  readings: readonly ChainReading[],
  address: string,
  since: number,
): Promise<boolean | undefined> {
  const reading = readings.find(isAnswered);
  if (reading === undefined) return undefined;
  const { client, newest } = reading;
  try {
    // The momentum before that time is of before that time.
    const floor = ((await client.before(since))?.height ?? 0) + 1;
    let top = newest.height;
    for (let page = 0; page < historyPages && top >= floor; page += 1) {
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
