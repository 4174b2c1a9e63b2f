import { withTimeout } from "../util/withTimeout";
import type { ChainClient } from "./chain";
import type { Produced } from "./chainAnswers";
import { type NodeFault, type Reading, silentBy, wholePage } from "./reading";

/** A momentum, by which chains are told apart. */
export type Block = Pick<Produced, "height" | "hash">;

/** What a node has shown of its chain. */
export interface ShownChain {
  readonly newest: Block;
  /** Its momentums of late, as far as they were asked for. */
  readonly recent: readonly Block[];
  /** Those that were asked for only to be compared. */
  readonly older?: readonly Block[];
}

/** Where two chains were compared, and what came of it; `unsaid` where one does not show its momentum there. */
export interface Comparison {
  readonly verdict: "same" | "other" | "unsaid";
  /** The newest height that both have. */
  readonly height: number;
}

/**
 * Compares the chains of two nodes by the hashes at the newest height that both have. Heights alone say nothing:
 * a fork may be as high as the chain, or far from it.
 */
export function compareChains(one: ShownChain, other: ShownChain): Comparison {
  const height = Math.min(one.newest.height, other.newest.height);
  const [mine, theirs] = [hashAt(one, height), hashAt(other, height)];
  if (mine === undefined || theirs === undefined) return { verdict: "unsaid", height };
  return { verdict: mine === theirs ? "same" : "other", height };
}

/** True if two nodes are shown to be on one chain. */
export function isSameChain(one: ShownChain, other: ShownChain): boolean {
  return one === other || compareChains(one, other).verdict === "same";
}

/** Returns the node that most others agree with; undefined of none. */
export function pickMajorityNode<T extends ShownChain>(chains: readonly T[]): T | undefined {
  const company = (one: T) => chains.filter((other) => isSameChain(one, other)).length;
  return chains.reduce<T | undefined>((most, one) => (most && company(most) >= company(one) ? most : one), undefined);
}

/** Returns the hash of a node's momentum; undefined if the node did not show it. */
export function hashAt({ newest, recent, older = [] }: ShownChain, height: number): string | undefined {
  return [newest, ...recent, ...older].find((block) => block.height === height)?.hash;
}

/** Finds two nodes that are not on one chain, and the height that shows it; undefined if all are on one. */
export function firstFork<T extends ShownChain>(
  chains: readonly T[],
): (Comparison & { readonly one: T; readonly other: T }) | undefined {
  for (const [at, one] of chains.entries())
    for (const other of chains.slice(at + 1)) {
      const comparison = compareChains(one, other);
      if (comparison.verdict !== "same") return { ...comparison, one, other };
    }
  return undefined;
}

/**
 * Has each node show its momentums at the others' newest heights, so that all can be compared. One that does not show what
 * it has is left out: a node without an answer counts as disagreeing. Never throws.
 *
 * @param limit milliseconds for each question
 */
export function showToEachOther<R extends Reading<ShownChain>>(readings: readonly R[], limit: number): Promise<R[]> {
  const tops = readings.flatMap((reading) => ("fault" in reading ? [] : [reading.newest.height]));
  return Promise.all(
    readings.map(async (reading) => {
      if ("fault" in reading) return reading;
      const shown = await olderOf(reading, reading.client, tops, limit);
      return "fault" in shown ? ({ client: reading.client, fault: shown.fault } as R) : { ...reading, ...shown };
    }),
  );
}

/** Reads a node's momentums at those heights that it has and did not show yet. Never throws. */
export async function olderOf(
  chain: ShownChain,
  client: ChainClient,
  heights: readonly number[],
  limit: number,
): Promise<{ readonly older: readonly Block[] } | { readonly fault: NodeFault }> {
  const wanted = [...new Set(heights)].filter(
    (height) => height < chain.newest.height && hashAt(chain, height) === undefined,
  );
  const older: Block[] = [...(chain.older ?? [])];
  try {
    const pages = Promise.all(wanted.map((height) => wholePage(client, height, height)));
    for (const found of await withTimeout(pages, limit, `no answer within ${limit / 1000} s`)) {
      if ("fault" in found) return found;
      older.push(...found.page);
    }
    return { older };
  } catch (error) {
    return { fault: silentBy(error) };
  }
}
