import { isPrintable } from "../util/printable.ts";
import type { PillarStanding } from "./elections.ts";

// docs/chain.md, Node, describes the forms of these answers; the ledger's other methods are in go-zenon's rpc/api/ledger.go.

export type Produced = Readonly<ReturnType<typeof parseProduced>>;
export type PillarOnChain = Readonly<NonNullable<ReturnType<typeof parsePillar>>>;

/** An amount of both coins, in their smallest units. */
type Amount = Readonly<Record<"znn" | "qsr", bigint>>;
export type RewardRow = Amount & { readonly epoch: number };

/** `givesAll`: true if the Pillar gives all its rewards to its delegators. */
export type PaidEpoch = Readonly<{ epoch: number; expected: number; produced: number; givesAll: boolean }>;

/** Returns the fields of an answer. @throws if a field lacks the form that its check demands */
export function parseForm<T extends object>(
  what: string,
  answer: unknown,
  checks: { readonly [K in keyof T]: (value: unknown) => value is T[K] },
): T {
  const found = (answer ?? {}) as T;
  const names = Object.keys(checks) as (keyof T)[];
  if (names.every((name) => checks[name](found[name]))) return found;
  throw new Error(`the RPC's ${what} does not have the form {${names.join(", ")}}`);
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Limits the digits, because parsing a very long number would keep the process busy for seconds. */
const isAmount = (value: unknown): value is string | number => /^\d{1,40}$/.test(String(value));

/** Returns the list of an answer. @throws if the answer has none */
export function parseList(result: unknown, method: string): unknown[] {
  return parseForm(method, result, { list: isList }).list;
}

/** Returns a node's own id. @throws if it has none: a node without its network says only zeros (go-zenon, p2p/server.go) */
export function parseNodeId(result: unknown): string {
  const method = "stats.networkInfo";
  const { self } = parseForm(method, result, { self: (value): value is unknown => value !== null });
  const isId = (key: unknown): key is string => typeof key === "string" && /^(?!0*$)[0-9a-f]{128}$/.test(key);
  return parseForm(`${method}, self`, self, { publicKey: isId }).publicKey;
}

/** Returns a momentum, its time in unix milliseconds. */
export function parseProduced(result: unknown) {
  const checks = { height: isCount, timestamp: isCount, hash: isPrintable, producer: isPrintable };
  const { height, timestamp, hash, producer } = parseForm("momentum", result, checks);
  return { height, timestamp: timestamp * 1000, hash, producer };
}

/** Returns a Pillar; null if nobody registered it. */
export function parsePillar(result: unknown, asked: string) {
  if (result === null) return null;
  const method = "embedded.pillar.getByName";
  const checks = { name: isText, producerAddress: isPrintable, withdrawAddress: isPrintable };
  const { name, producerAddress, withdrawAddress } = parseForm(method, result, checks);
  if (name !== asked) throw new Error(`the RPC's ${method} answers with another Pillar than ${asked}`);
  const { currentStats } = result as { currentStats?: unknown };
  const { expectedMomentums, producedMomentums } = (currentStats ?? {}) as Record<string, unknown>;
  /**
   * Slots of the running epoch, as the node counted them up to five minutes ago. `expected` includes the whole current
   * tick, and both are 0 right after a node's start, so the difference of two readings does not count missed momentums.
   */
  const figures = {
    expected: isCount(expectedMomentums) ? expectedMomentums : 0,
    produced: isCount(producedMomentums) ? producedMomentums : 0,
  };
  return { name, producerAddress, withdrawAddress, figures };
}

/** Returns the names of a page of Pillars. */
export function parsePillarNames(result: unknown): string[] {
  return parseList(result, "embedded.pillar.getAll").map((row) => parseForm("Pillar", row, { name: isPrintable }).name);
}

export function parseStanding(result: unknown, pillar: string): PillarStanding | undefined {
  const { count, list } = parseForm("embedded.pillar.getAll", result, { count: isCount, list: isList });
  const weights = list.map((row) => {
    const { name, weight } = parseForm("Pillar", row, { name: isText, weight: isAmount });
    return { name, weight: BigInt(weight) };
  });
  const own = weights.find(({ name }) => name === pillar);
  if (own === undefined) return undefined;
  // Right after its start, a node has not counted the weights: no rank is known.
  if (weights.every(({ weight }) => weight === 0n)) return { pillars: count };
  return { pillars: count, place: 1 + weights.filter(({ weight }) => weight > own.weight).length };
}

export function parsePaidEpochs(result: unknown): PaidEpoch[] {
  const checks = { epoch: isCount, expectedBlockNum: isCount, producedBlockNum: isCount };
  return parseList(result, "embedded.pillar.getPillarEpochHistory")
    .map((row) => {
      const { epoch, expectedBlockNum: expected, producedBlockNum: produced } = parseForm("paid epoch", row, checks);
      const shares = row as { giveBlockRewardPercentage?: unknown; giveDelegateRewardPercentage?: unknown };
      const givesAll = shares.giveBlockRewardPercentage === 100 && shares.giveDelegateRewardPercentage === 100;
      return { epoch, expected, produced, givesAll };
    })
    .sort((a, b) => b.epoch - a.epoch);
}

export function parseRows(result: unknown): RewardRow[] {
  return parseList(result, "embedded.pillar.getFrontierRewardByPage")
    .map((row) => ({ epoch: parseForm("reward", row, { epoch: isCount }).epoch, ...parseAmount(row) }))
    .sort((a, b) => b.epoch - a.epoch);
}

export function parseAmount(result: unknown): Amount {
  const { znnAmount, qsrAmount } = parseForm("reward", result, { znnAmount: isAmount, qsrAmount: isAmount });
  return { znn: BigInt(znnAmount), qsr: BigInt(qsrAmount) };
}
