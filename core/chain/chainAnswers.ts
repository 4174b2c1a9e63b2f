import { isPrintable } from "../util/printable";
import type { PillarStanding } from "./elections";

// docs/chain.md, Node, describes the forms of these answers; the ledger's other methods are in go-zenon's rpc/api/ledger.go.

export interface Produced {
  readonly height: number;
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly hash: string;
  readonly producer: string;
}

export interface PillarOnChain {
  readonly name: string;
  readonly producerAddress: string;
  readonly withdrawAddress: string;
  /**
   * Slots of the running epoch, as the node counted them up to five minutes ago. `expected` includes the whole current
   * tick, and both are 0 right after a node's start, so the difference of two readings does not count missed momentums.
   */
  readonly figures: { readonly expected: number; readonly produced: number };
}

/** An amount of both coins, in their smallest units. */
interface Amount {
  readonly znn: bigint;
  readonly qsr: bigint;
}

export interface RewardRow extends Amount {
  readonly epoch: number;
}

export interface PaidEpoch {
  readonly epoch: number;
  readonly expected: number;
  readonly produced: number;
  /** True if the Pillar gives all its rewards to its delegators. */
  readonly givesAll: boolean;
}

/** The newest reward rows of an address, newest first, and its uncollected amount. */
export interface Rewards {
  readonly rows: readonly RewardRow[];
  readonly uncollected: Amount;
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Returns the list of an answer. @throws if the answer has none */
export function parseList<T>(result: unknown, method: string): T[] {
  const { list } = (result ?? {}) as { list?: unknown };
  if (!Array.isArray(list)) throw new Error(`the RPC's ${method} does not have the form {list}`);
  return list;
}

export function parseProduced(result: unknown): Produced {
  const { height, timestamp, hash, producer } = (result ?? {}) as Record<string, unknown>;
  if (!isCount(height) || !isCount(timestamp) || !isPrintable(hash) || !isPrintable(producer))
    throw new Error("the RPC's momentum does not have the form {height, timestamp, hash, producer}");
  return { height, timestamp: timestamp * 1000, hash, producer };
}

export function parsePillar(result: unknown, asked: string): PillarOnChain | null {
  if (result === null) return null;
  const { name, producerAddress, withdrawAddress, currentStats } = (result ?? {}) as Record<string, unknown>;
  const { expectedMomentums, producedMomentums } = (currentStats ?? {}) as Record<string, unknown>;
  if (name !== asked) throw new Error(`the RPC's embedded.pillar.getByName answers with another Pillar than ${asked}`);
  if (!isPrintable(producerAddress) || !isPrintable(withdrawAddress))
    throw new Error("the RPC's embedded.pillar.getByName does not have the form {producerAddress, withdrawAddress}");
  const figures = {
    expected: isCount(expectedMomentums) ? expectedMomentums : 0,
    produced: isCount(producedMomentums) ? producedMomentums : 0,
  };
  return { name: asked, producerAddress, withdrawAddress, figures };
}

export function parseStanding(result: unknown, pillar: string): PillarStanding | undefined {
  const { count, list } = (result ?? {}) as { count?: unknown; list?: unknown };
  if (!isCount(count) || !Array.isArray(list))
    throw new Error("the RPC's embedded.pillar.getAll does not have the form {count, list}");
  const weights = list.map((row: { name?: unknown; weight?: unknown }) => {
    if (!isAmount(row?.weight)) throw new Error("the RPC's list of Pillars has one without a weight");
    return { name: row.name, weight: BigInt(String(row.weight)) };
  });
  const own = weights.find(({ name }) => name === pillar);
  if (own === undefined) return undefined;
  // Right after its start, a node has not counted the weights: no rank is known.
  if (weights.every(({ weight }) => weight === 0n)) return { pillars: count };
  return { pillars: count, place: 1 + weights.filter(({ weight }) => weight > own.weight).length };
}

export function parsePaidEpochs(result: unknown): PaidEpoch[] {
  return parseList<Record<string, unknown> | null>(result, "embedded.pillar.getPillarEpochHistory")
    .map((row): PaidEpoch => {
      const { epoch, expectedBlockNum: expected, producedBlockNum: produced } = row ?? {};
      if (!isCount(epoch) || !isCount(expected) || !isCount(produced))
        throw new Error("an epoch of the RPC does not have the form {epoch, expectedBlockNum, producedBlockNum}");
      const gives = [row?.giveBlockRewardPercentage, row?.giveDelegateRewardPercentage];
      return { epoch, expected, produced, givesAll: gives.every((percent) => percent === 100) };
    })
    .sort((a, b) => b.epoch - a.epoch);
}

export function parseRows(result: unknown): RewardRow[] {
  return parseList<{ epoch?: unknown } | null>(result, "embedded.pillar.getFrontierRewardByPage")
    .map((row) => {
      if (!isCount(row?.epoch)) throw new Error("a reward of the RPC has no epoch");
      return { epoch: row.epoch, ...parseAmount(row) };
    })
    .sort((a, b) => b.epoch - a.epoch);
}

/** Limits the digits, because parsing a very long number would keep the process busy for seconds. */
const isAmount = (value: unknown) => /^\d{1,40}$/.test(String(value));

export function parseAmount(result: unknown): Amount {
  const { znnAmount, qsrAmount } = (result ?? {}) as Record<string, unknown>;
  if (!isAmount(znnAmount) || !isAmount(qsrAmount))
    throw new Error("the RPC's reward does not have the form {znnAmount, qsrAmount}");
  return { znn: BigInt(String(znnAmount)), qsr: BigInt(String(qsrAmount)) };
}
