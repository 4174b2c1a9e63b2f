import { type Connection, createConnection } from "../ssh/connection";
import { isFatal } from "../ssh/ssh";
import { isPrintable } from "../util/printable";
import { type BridgeInfo, parseBridge } from "./bridge";
import { isCount } from "./count";
import type { PillarStanding } from "./elections";
import { callRpc, type RpcAnswer } from "./jsonRpc";
import { type NodeTarget, nodeResult, nodeStreams } from "./node";
import { callReference } from "./reference";
import { parseSporks, type Spork } from "./sporks";

// Shapes: docs/chain.md, Node; the ledger's other methods as in go-zenon's rpc/api/ledger.go.

/** A momentum, and whose it is. */
export interface Produced {
  readonly height: number;
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly hash: string;
  /** The address that produced it. */
  readonly producer: string;
}

/** A Pillar as it is registered now. */
export interface PillarOnChain {
  readonly name: string;
  readonly producerAddress: string;
  /** The reward address. */
  readonly withdrawAddress: string;
  /**
   * Of the running epoch, as the node counted up to five minutes ago; expected counts the whole tick of that moment, and
   * both are 0 right after a node's start. The difference of two such answers is nothing that was missed.
   */
  readonly figures: { readonly expected: number; readonly produced: number };
}

/** An amount of both coins, in their smallest units. */
export interface Amount {
  readonly znn: bigint;
  readonly qsr: bigint;
}

/** What an address was paid for an epoch. */
export interface RewardRow extends Amount {
  readonly epoch: number;
}

/** What a Pillar did in an epoch that was paid: exact. */
export interface PaidEpoch {
  readonly epoch: number;
  /** Slots. */
  readonly expected: number;
  readonly produced: number;
  /** All its rewards went to whoever delegates to it. */
  readonly givesAll: boolean;
}

/** What an address has earned: the newest rows, newest first, and what waits for its collection. */
export interface Rewards {
  readonly rows: readonly RewardRow[];
  readonly uncollected: Amount;
}

/** What the chain says, asked of one node. Every method throws with a reason in words. */
export interface ChainClient {
  /** Who is asked, for reasons: `the node of 203.0.113.7`. */
  readonly name: string;
  /** The newest momentum, and the node's own clock in unix milliseconds. */
  newest(): Promise<{ readonly momentum: Produced; readonly clock: number }>;
  /** At most `count` (1024) momentums from a height on, in ascending order. */
  momentums(from: number, count: number): Promise<readonly Produced[]>;
  /** The last momentum before a time (unix milliseconds); undefined before the first. */
  before(time: number): Promise<Produced | undefined>;
  /** null: nobody registered it. */
  pillar(name: string): Promise<PillarOnChain | null>;
  /** Where a Pillar stands among all; undefined where the node does not tell. */
  standing(name: string): Promise<PillarStanding | undefined>;
  /** A Pillar's paid epochs, newest first; empty where the node does not tell. */
  paidEpochs(name: string): Promise<readonly PaidEpoch[]>;
  /** `notOffered` where the node does not know the methods. */
  rewards(address: string): Promise<Rewards | "notOffered">;
  bridge(): Promise<BridgeInfo>;
  /** Empty where the node does not tell. */
  sporks(): Promise<readonly Spork[]>;
  close(): void;
}

/** Calls a method; throws where there is no answer. */
type Call = (method: string, params: readonly unknown[]) => Promise<RpcAnswer>;

/** The most momentums that a node gives at once. */
export const momentumPage = 1024;

const callTimeout = 20_000;
const methodNotFound = -32601;

/** Asks a node over the connection to its host. A host key that changed and a refused login are told like anything else. */
export function chainOfNode(
  name: string,
  target: NodeTarget,
  connection: Connection = createConnection(target.ssh),
): ChainClient {
  const { open, authority } = nodeStreams(target, connection);
  const call: Call = (method, params) => callRpc(open, { authority, method, params, timeout: callTimeout });
  return chainClient(
    name,
    (method, params) =>
      call(method, params).catch((error: Error) => {
        throw isFatal(error) ? new Error(error.message.split("\n")[0]) : error;
      }),
    () => connection.drop(),
  );
}

/** An address as it may be shown and kept (pure): a path, a query and a user name may hold an access key. */
export function shownAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname.length > 1 || search !== "" ? `${origin}/…` : origin;
}

/** Asks an independent node at its address. */
export function chainOfReference(url: string): ChainClient {
  const call: Call = (method, params) => callReference(url, method, params, callTimeout);
  return chainClient(`reference ${shownAddress(url)}`, call, () => undefined);
}

/** A client on any way to call. */
export function chainClient(name: string, call: Call, close: () => void): ChainClient {
  const ask = async (method: string, params: readonly unknown[]) => nodeResult(await call(method, params));
  const askOptional = async (method: string, params: readonly unknown[]) => {
    try {
      return await ask(method, params);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  return {
    name,
    close,
    newest: async () => {
      const answer = await call("ledger.getFrontierMomentum", []);
      return { momentum: parseProduced(nodeResult(answer)), clock: answer.date ?? Date.now() };
    },
    momentums: async (from, count) => {
      const { list } = ((await ask("ledger.getMomentumsByHeight", [from, count])) ?? {}) as { list?: unknown };
      if (!Array.isArray(list)) throw new Error("the RPC's ledger.getMomentumsByHeight does not have the form {list}");
      return list.map(parseProduced);
    },
    before: async (time) => {
      const result = await ask("ledger.getMomentumBeforeTime", [Math.ceil(time / 1000)]);
      return result === null ? undefined : parseProduced(result);
    },
    pillar: async (pillar) => parsePillar(await ask("embedded.pillar.getByName", [pillar]), pillar),
    standing: async (pillar) => {
      const page = await askOptional("embedded.pillar.getAll", [0, pillarRows]);
      return page === undefined ? undefined : parseStanding(page, pillar);
    },
    bridge: async () => parseBridge(await ask("embedded.bridge.getBridgeInfo", [])),
    sporks: async () => {
      const page = await askOptional("embedded.spork.getAll", [0, sporkRows]);
      return page === undefined ? [] : parseSporks(page);
    },
    paidEpochs: async (pillar) => {
      const page = await askOptional("embedded.pillar.getPillarEpochHistory", [pillar, 0, rewardRows]);
      return page === undefined ? [] : parsePaidEpochs(page);
    },
    rewards: async (address) => {
      try {
        const uncollected = parseAmount(await ask("embedded.pillar.getUncollectedReward", [address]));
        const page = await ask("embedded.pillar.getFrontierRewardByPage", [address, 0, rewardRows]);
        return { uncollected, rows: parseRows(page) };
      } catch (error) {
        if (isNotFound(error)) return "notOffered";
        throw error;
      }
    },
  };
}

const rewardRows = 20;
/** All of them: there are about a hundred. */
const pillarRows = 1024;
/** All of them: there were three in five years. */
const sporkRows = 1024;

const isNotFound = (error: unknown) => (error as { rpcCode?: unknown }).rpcCode === methodNotFound;

function parseProduced(result: unknown): Produced {
  const { height, timestamp, hash, producer } = (result ?? {}) as Record<string, unknown>;
  if (!isCount(height) || !isCount(timestamp) || !isPrintable(hash) || !isPrintable(producer))
    throw new Error("the RPC's momentum does not have the form {height, timestamp, hash, producer}");
  return { height, timestamp: timestamp * 1000, hash, producer };
}

function parsePillar(result: unknown, asked: string): PillarOnChain | null {
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

function parseStanding(result: unknown, pillar: string): PillarStanding | undefined {
  const { count, list } = (result ?? {}) as { count?: unknown; list?: unknown };
  if (!isCount(count) || !Array.isArray(list))
    throw new Error("the RPC's embedded.pillar.getAll does not have the form {count, list}");
  const weights = list.map((row: { name?: unknown; weight?: unknown }) => {
    if (!/^\d+$/.test(String(row?.weight))) throw new Error("a Pillar of the RPC has no weight");
    return { name: row.name, weight: BigInt(String(row.weight)) };
  });
  const own = weights.find(({ name }) => name === pillar);
  if (own === undefined) return undefined;
  // Right after a node's start none is counted.
  if (weights.every(({ weight }) => weight === 0n)) return { pillars: count };
  return { pillars: count, place: 1 + weights.filter(({ weight }) => weight > own.weight).length };
}

function parsePaidEpochs(result: unknown): PaidEpoch[] {
  const { list } = (result ?? {}) as { list?: unknown };
  if (!Array.isArray(list))
    throw new Error("the RPC's embedded.pillar.getPillarEpochHistory does not have the form {list}");
  return list
    .map((row: Record<string, unknown> | null): PaidEpoch => {
      const { epoch, expectedBlockNum: expected, producedBlockNum: produced } = row ?? {};
      if (!isCount(epoch) || !isCount(expected) || !isCount(produced))
        throw new Error("an epoch of the RPC does not have the form {epoch, expectedBlockNum, producedBlockNum}");
      const gives = [row?.giveBlockRewardPercentage, row?.giveDelegateRewardPercentage];
      return { epoch, expected, produced, givesAll: gives.every((percent) => percent === 100) };
    })
    .sort((a, b) => b.epoch - a.epoch);
}

function parseRows(result: unknown): RewardRow[] {
  const { list } = (result ?? {}) as { list?: unknown };
  if (!Array.isArray(list))
    throw new Error("the RPC's embedded.pillar.getFrontierRewardByPage does not have the form {list}");
  return list
    .map((row: { epoch?: unknown }) => {
      if (!isCount(row?.epoch)) throw new Error("a reward of the RPC has no epoch");
      return { epoch: row.epoch, ...parseAmount(row) };
    })
    .sort((a, b) => b.epoch - a.epoch);
}

function parseAmount(result: unknown): Amount {
  const { znnAmount, qsrAmount } = (result ?? {}) as Record<string, unknown>;
  const form = /^\d+$/;
  if (!form.test(String(znnAmount)) || !form.test(String(qsrAmount)))
    throw new Error("the RPC's reward does not have the form {znnAmount, qsrAmount}");
  return { znn: BigInt(String(znnAmount)), qsr: BigInt(String(qsrAmount)) };
}
