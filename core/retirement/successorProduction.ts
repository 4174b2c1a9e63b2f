import { type ChainClient, momentumPage } from "../chain/chain";
import type { Produced } from "../chain/chainAnswers";

/** Producer addresses of the retired host, if known, and of its successor. */
export interface Producers {
  readonly oldProducer?: string | undefined;
  readonly newProducer: string;
}

/** Momentums per request, ten hours in all. The first requests are small: on a small network they suffice. */
const pageSizes = [64, 256, momentumPage, momentumPage, momentumPage];

/**
 * True if all slots from `time` (unix milliseconds) on are the new producer's. Decides by the first momentum of either
 * address since then, else by the last one before.
 */
export async function isNewProducerSince(client: ChainClient, producers: Producers, time: number): Promise<boolean> {
  const { oldProducer, newProducer } = producers;
  const before = await client.before(time);
  const last = () => isLastOfNewProducer(client, producers, before);
  // Momentums of an unknown old address look like those of other Pillars.
  if (oldProducer === undefined) return last();
  let from = (before?.height ?? 0) + 1;
  for (const count of pageSizes) {
    const page = await client.momentums(from, count);
    const first = page.find(({ producer }) => producer === oldProducer || producer === newProducer);
    if (first) return first.producer === newProducer;
    if (page.length < count) break;
    from += count;
  }
  return last();
}

async function isLastOfNewProducer(
  client: ChainClient,
  { oldProducer, newProducer }: Producers,
  until: Produced | undefined,
): Promise<boolean> {
  if (until === undefined) return false;
  const from = Math.max(1, until.height - momentumPage + 1);
  const page = await client.momentums(from, until.height - from + 1);
  const last = page.findLast(({ producer }) => producer === oldProducer || producer === newProducer);
  return last?.producer === newProducer;
}
