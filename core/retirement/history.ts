import { type ChainClient, momentumPage } from "../chain/chain";
import type { ChainReading } from "./chainLook";

/** Pages of momentums that a proof of "never produced" may take: a week of them. */
const historyPages = 60;

/** Whether an address has produced since a time, as the first good source tells; undefined where it can't be told. */
export async function hasProducedSince(
  clients: readonly ChainClient[],
  readings: readonly ChainReading[],
  address: string,
  since: number,
): Promise<boolean | undefined> {
  const at = readings.findIndex((reading) => !("fault" in reading));
  const [client, reading] = [clients[at], readings[at]];
  if (client === undefined || reading === undefined || "fault" in reading) return undefined;
  try {
    // The momentum before that time is of before that time.
    const floor = ((await client.before(since))?.height ?? 0) + 1;
    let top = reading.height;
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
