import { type ChainClient, momentumPage } from "../chain/chain";
import type { Produced } from "../chain/chainAnswers";

/** The first momentum that a Pillar produces with an address. `at` in unix milliseconds. */
export interface ProducerSwitch {
  readonly height: number;
  readonly at: number;
  /** The last momentum of the address that was registered before. Absent if the search did not reach it. */
  readonly before?: Readonly<{ producerAddress: string; height: number; at: number }>;
  /** Set if the search gave up at that momentum: the address may have produced before it, too. */
  readonly orBefore?: true;
}

/** The search ends after this many pages, about a day of momentums. */
const pages = 8;

/**
 * Finds the first momentum of an address since the address before it last produced: searches backwards from the newest
 * momentums (`recent`, ascending), up to one of the address before or a whole page with neither address. Returns
 * undefined if none of the newest momentums carries the address.
 */
export async function findSwitch(
  momentums: ChainClient["momentums"],
  recent: readonly Produced[],
  ours: string,
  earlier: string | undefined,
): Promise<ProducerSwitch | undefined> {
  let first: Produced | undefined;
  let page = recent;
  for (let read = 0; ; read += 1) {
    const known: Produced | undefined = first;
    for (const momentum of page.toReversed()) {
      if (momentum.producer === ours) first = momentum;
      else if (momentum.producer === earlier) return first && createSwitch(first, momentum);
    }
    const lowest = page[0]?.height ?? 1;
    // A first page without either address does not end the search, because that page is short.
    const isQuiet = read > 0 && first === known;
    if (isQuiet || lowest <= 1) return first && createSwitch(first);
    if (read >= pages) return first && { ...createSwitch(first), orBefore: true };
    const from = Math.max(1, lowest - momentumPage);
    page = (await momentums(from, lowest - from)).filter(({ height }) => height < lowest);
    if (page.length === 0) throw new Error(`no momentums from ${from} to ${lowest - 1}`);
  }
}

/** True if the earlier address produces again after a switch: it has the newest momentum of both addresses. */
export function isUndone({ height }: ProducerSwitch, recent: readonly Produced[], ours: string, earlier?: string) {
  const last = recent.findLast((momentum) => momentum.height > height && [ours, earlier].includes(momentum.producer));
  return earlier !== undefined && last?.producer === earlier;
}

function createSwitch(first: Produced, before?: Produced): ProducerSwitch {
  const { height, timestamp: at } = first;
  if (before === undefined) return { height, at };
  return { height, at, before: { producerAddress: before.producer, height: before.height, at: before.timestamp } };
}
