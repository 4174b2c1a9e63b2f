import { momentumPage } from "../chain/chain";
import type { Produced } from "../chain/chainAnswers";
import type { Network } from "../chain/elections";

/** From which momentum on a Pillar produces with an address. */
export interface ProducerSwitch {
  readonly height: number;
  /** Unix milliseconds of that momentum. */
  readonly at: number;
  /** The last momentum of the address before, where it was met. */
  readonly before?: { readonly producerAddress: string; readonly height: number; readonly at: number };
  /** Slots of the whole network that stayed empty between the two: this Pillar missed no more than these. */
  readonly empty?: number;
  /** The address produced before that momentum already: the search ended there. */
  readonly orBefore?: true;
}

/** Gives `count` momentums from a height on, in ascending order. */
export type Momentums = (from: number, count: number) => Promise<readonly Produced[]>;

/** So many pages are searched at most: about a day. */
const pages = 8;

/**
 * The first momentum of an address that is later than any of the address before: found from the newest one backwards,
 * to the last momentum of the address before, or a whole page without either.
 *
 * @param recent the newest momentums, ascending
 * @param earlier the address before, where it is known
 * @returns undefined where none of the newest page's momentums is one
 */
export async function findSwitch(
  momentums: Momentums,
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
      else if (momentum.producer === earlier) return first && switchOf(first, momentum);
    }
    const lowest = page[0]?.height ?? 1;
    // The first page is the short one that every look has.
    const isQuiet = read > 0 && first === known;
    if (isQuiet || lowest <= 1) return first && switchOf(first);
    if (read >= pages) return first && { ...switchOf(first), orBefore: true };
    const from = Math.max(1, lowest - momentumPage);
    page = (await momentums(from, lowest - from)).filter(({ height }) => height < lowest);
    if (page.length === 0) throw new Error(`no momentums from ${from} to ${lowest - 1}`);
  }
}

/** Whether the newest of the momentums since a switch is the earlier address's: the Pillar went back since. */
export function isUndone(
  { height }: ProducerSwitch,
  recent: readonly Produced[],
  ours: string,
  earlier?: string,
): boolean {
  const last = recent.findLast((momentum) => momentum.height > height && [ours, earlier].includes(momentum.producer));
  return earlier !== undefined && last?.producer === earlier;
}

/** Counts the slots without a momentum between the two addresses: they are gaps in time. */
export function withEmptySlots(found: ProducerSwitch, { momentum }: Network): ProducerSwitch {
  const { before, height, at } = found;
  // Momentums tell whole seconds.
  if (before === undefined || momentum < 1000) return found;
  const slots = (at - before.at) / momentum;
  const empty = Math.round(slots) - (height - before.height);
  // Where the times do not fit to the pace, this is not the chain's own.
  return empty < 0 || Math.abs(slots - Math.round(slots)) > 0.1 ? found : { ...found, empty };
}

function switchOf(first: Produced, before?: Produced): ProducerSwitch {
  const { height, timestamp: at } = first;
  if (before === undefined) return { height, at };
  return { height, at, before: { producerAddress: before.producer, height: before.height, at: before.timestamp } };
}
