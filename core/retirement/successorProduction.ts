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
export async function isNewProducerSince(
  client: ChainClient,
  { oldProducer, newProducer }: Producers,
  time: number,
): Promise<boolean> {
  const isOfEither = ({ producer }: Produced) => producer === oldProducer || producer === newProducer;
  const height = (await client.before(time))?.height ?? 0;
  let from = height + 1;
  // Momentums of an unknown old address look like those of other Pillars.
  for (const count of oldProducer === undefined ? [] : pageSizes) {
    const page = await client.momentums(from, count);
    const first = page.find(isOfEither);
    if (first) return first.producer === newProducer;
    if (page.length < count) break;
    from += count;
  }
  if (height === 0) return false;
  const start = Math.max(1, height - momentumPage + 1);
  const page = await client.momentums(start, height - start + 1);
  return page.findLast(isOfEither)?.producer === newProducer;
}
