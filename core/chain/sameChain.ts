import { withTimeout } from "../util/withTimeout.ts";
import type { ChainClient } from "./chain.ts";
import type { Produced } from "./chainAnswers.ts";
import { createSilentFault, type Identified, type NodeFault, type Reading, readWholePage } from "./reading.ts";

/** The part of a momentum that distinguishes chains. */
export type Block = Pick<Produced, "height" | "hash">;

/** The momentums that a node has returned so far. */
export interface ChainExcerpt {
  readonly newest: Block;
  readonly recent?: readonly Block[];
  /** Momentums that were requested only for a comparison. */
  readonly older?: readonly Block[];
}

/**
 * Compares the chains of two nodes by the hashes at the newest height that both have. Heights alone prove nothing: a
 * fork may be as high as the chain, or far from it. `unsaid`: a node does not return its momentum at that height.
 */
export function compareChains(one: ChainExcerpt, other: ChainExcerpt) {
  const height = Math.min(one.newest.height, other.newest.height);
  const [mine, theirs] = [hashAt(one, height), hashAt(other, height)];
  if (mine === undefined || theirs === undefined) return { verdict: "unsaid" as const, height };
  return { verdict: mine === theirs ? ("same" as const) : ("other" as const), height };
}

/** True if the compared hashes prove that two nodes are on one chain. */
export function isSameChain(one: ChainExcerpt, other: ChainExcerpt): boolean {
  return one === other || compareChains(one, other).verdict === "same";
}

export function pickMajorityNode<T extends ChainExcerpt>(chains: readonly T[]): T | undefined {
  const company = (one: T) => chains.filter((other) => isSameChain(one, other)).length;
  return chains.reduce<T | undefined>((most, one) => (most && company(most) >= company(one) ? most : one), undefined);
}

/** Returns undefined if the node did not return that momentum. */
export function hashAt({ newest, recent = [], older = [] }: ChainExcerpt, height: number): string | undefined {
  return [newest, ...recent, ...older].find((block) => block.height === height)?.hash;
}

/** Formats a momentum of several nodes. */
export function formatHashes(chains: readonly (ChainExcerpt & Identified)[], height: number): string {
  const hashes = chains.map((each) => `${hashAt(each, height)?.slice(0, 12) ?? "not shown"} at ${each.client.name}`);
  return `momentum ${height} is ${hashes.join(", ")}`;
}

/** Returns two nodes that are not proved to be on one chain; undefined if all are on one chain. */
export function findFirstFork<T extends ChainExcerpt>(chains: readonly T[]) {
  for (const [at, one] of chains.entries())
    for (const other of chains.slice(at + 1)) {
      const comparison = compareChains(one, other);
      if (comparison.verdict !== "same") return { ...comparison, one, other };
    }
  return undefined;
}

/**
 * Reads each node's momentums at the other nodes' newest heights, so that all chains can be compared. A node that does
 * not return them gets a fault. Never throws. `limit` is in milliseconds, for each node.
 */
export function readSharedHeights<R extends Reading<ChainExcerpt>>(
  readings: readonly R[],
  limit: number,
): Promise<R[]> {
  const tops = readings.flatMap((reading) => ("fault" in reading ? [] : [reading.newest.height]));
  return Promise.all(
    readings.map(async (reading) => {
      if ("fault" in reading) return reading;
      const shown = await readOlderMomentums(reading, reading.client, tops, limit);
      return "fault" in shown ? ({ client: reading.client, fault: shown.fault } as R) : { ...reading, ...shown };
    }),
  );
}

/** Reads a node's momentums at the heights that the node has and that are not read yet. Never throws. */
export async function readOlderMomentums(
  chain: ChainExcerpt,
  client: ChainClient,
  heights: readonly number[],
  limit: number,
): Promise<{ readonly older: readonly Block[] } | { readonly fault: NodeFault }> {
  const wanted = [...new Set(heights)].filter(
    (height) => height < chain.newest.height && hashAt(chain, height) === undefined,
  );
  const older: Block[] = [...(chain.older ?? [])];
  try {
    const pages = Promise.all(wanted.map((height) => readWholePage(client, height, height)));
    for (const found of await withTimeout(pages, limit)) {
      if ("fault" in found) return found;
      older.push(...found.page);
    }
    return { older };
  } catch (error) {
    return { fault: createSilentFault(error) };
  }
}
