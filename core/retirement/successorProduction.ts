import { type ChainClient, momentumPage } from "../chain/chain";
import type { Produced } from "../chain/chainAnswers";

/** Producer addresses: of the host that is retired, where it is known, and of its successor. */
export interface Both {
  readonly own?: string | undefined;
  readonly successor: string;
}

/** Momentums that are asked for, one page after the other: on a small network a few tell. About ten hours. */
const pages = [64, 256, momentumPage, momentumPage, momentumPage];

/**
 * Whether all slots from a time on are the successor's: the first momentum of either address since then is its own, or
 * where neither has one yet, the last before.
 *
 * @param time unix milliseconds
 */
export async function isSuccessorsSince(client: ChainClient, both: Both, time: number): Promise<boolean> {
  const before = await client.before(time);
  const last = () => isSuccessors(client, both, before);
  // Whose address is not known can't be told from the others'.
  if (both.own === undefined) return last();
  let from = (before?.height ?? 0) + 1;
  for (const count of pages) {
    const page = await client.momentums(from, count);
    const first = page.find(({ producer }) => producer === both.own || producer === both.successor);
    if (first) return first.producer === both.successor;
    if (page.length < count) break;
    from += count;
  }
  return last();
}

/** Whether the last momentum of either address up to one was the successor's. */
async function isSuccessors(
  client: ChainClient,
  { own, successor }: Both,
  until: Produced | undefined,
): Promise<boolean> {
  if (until === undefined) return false;
  const from = Math.max(1, until.height - momentumPage + 1);
  const page = await client.momentums(from, until.height - from + 1);
  return page.findLast(({ producer }) => producer === own || producer === successor)?.producer === successor;
}
