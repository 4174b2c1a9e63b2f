import { createHash } from "node:crypto";
import type { PillarView } from "../chain/chain.ts";
import type { ChainClient } from "../chain/client.ts";
import type { NodeSettings } from "../chain/settings.ts";
import { type Momentum, momentumHash } from "../chain/timeline.ts";
import { nodeCommit } from "./logLines.ts";
import { type Methods, method, RpcError } from "./rpcServer.ts";
import type { SyncInfo } from "./sync.ts";

/** The parts of the node that its RPC methods need. */
export interface MethodsBackend {
  chain: ChainClient;
  /** The public key by which peers know the node. */
  id: string;
  syncInfo(): SyncInfo;
  /** Returns the true height. */
  height(): number;
  settings(): NodeSettings;
  peers(): number;
  /** Returns the version of the program that was started. */
  version(): string;
  /** Milliseconds for which Pillar statistics and weights are cached (the real node: 5 minutes). */
  statsCacheMs: number;
}

/** Returns the node's RPC methods. They get everything about the chain from the chain double. */
export function nodeMethods(node: MethodsBackend): Methods {
  const cache = new StatsCache(node);
  const show = async (pillar: PillarView, rank: number) => {
    const { forceProducer } = node.settings();
    const producerAddress = forceProducer ?? pillar.producerAddress;
    return shownPillar({ ...pillar, producerAddress }, await cache.of(pillar.name), rank);
  };
  return {
    "stats.syncInfo": method([], () => node.syncInfo()),
    "stats.networkInfo": method([], () => networkInfo(node.id, node.peers())),
    "stats.processInfo": method([], () => ({ version: node.version(), commit: nodeCommit })),
    ...momentumMethods(node),
    "embedded.bridge.getBridgeInfo": method([], () => node.chain.bridge()),
    "embedded.spork.getAll": method(["uint32", "uint32"], async (page: number, size: number) => {
      checkPageSize(size);
      const all = await node.chain.sporks();
      return { count: all.length, list: all.slice(page * size, (page + 1) * size) };
    }),
    "embedded.pillar.getByName": method(["string"], async (name: string) => {
      const all = await node.chain.electorate();
      const pillar = all.find((each) => each.name === name);
      if (pillar === undefined || node.settings().nullPillar) return null;
      return show(pillar, all.indexOf(pillar));
    }),
    "embedded.pillar.getAll": method(["uint32", "uint32"], async (page: number, size: number) => {
      checkPageSize(size);
      const all = await node.chain.electorate();
      const shown = all.slice(page * size, (page + 1) * size);
      const list = shown.map((pillar, at) => show(pillar, page * size + at));
      return { count: all.length, list: await Promise.all(list) };
    }),
    "embedded.pillar.getPillarEpochHistory": method(
      ["string", "uint32", "uint32"],
      async (name: string, page: number, size: number) => {
        checkPageSize(size);
        return node.chain.epochs(name, page, size);
      },
    ),
    "embedded.pillar.getUncollectedReward": method(
      ["address"],
      async (address: string) => (await node.chain.rewards(address)).uncollected,
    ),
    "embedded.pillar.getFrontierRewardByPage": method(
      ["address", "uint32", "uint32"],
      async (address: string, page: number, size: number) => {
        checkPageSize(size);
        return (await node.chain.rewards(address, page, size)).page;
      },
    ),
  };
}

/** Returns a node's peers and itself, whose address and name are always these (go-zenon, rpc/api/stats.go, selfToPeer). */
function networkInfo(id: string, numPeers: number) {
  const peers = Array.from({ length: numPeers }, (_, at) => ({
    publicKey: createHash("sha512").update(`peer ${at}`).digest("hex"),
    ip: `192.0.2.${at + 1}`,
    name: `v0.0.8 peer ${at}`,
  }));
  return { numPeers, peers, self: { publicKey: id, ip: "127.0.0.1", name: "*self*" } };
}

function checkPageSize(size: number): void {
  if (size > maxPageSize) throw new RpcError(-32000, "page-size parameter is too big");
}

const maxPageSize = 1024;

type PillarFigures = Pick<PillarView, "weight" | "currentStats">;

/**
 * Caches statistics and weights. A lookup returns the old figures and refreshes them afterwards, so the first answer
 * after a start is all zero.
 */
class StatsCache {
  private figures = new Map<string, PillarFigures>();
  private filledAt: number | undefined;

  constructor(private readonly node: MethodsBackend) {}

  async of(name: string): Promise<PillarFigures> {
    const known = this.figures.get(name) ?? noFigures;
    if (this.filledAt === undefined || Date.now() - this.filledAt >= this.node.statsCacheMs) {
      this.filledAt = Date.now();
      const pillars = await this.node.chain.electorate();
      this.figures = new Map(
        pillars.map(({ name: pillar, weight, currentStats }) => [pillar, { weight, currentStats }]),
      );
    }
    return known;
  }
}

const noFigures: PillarFigures = { weight: "0", currentStats: { producedMomentums: 0, expectedMomentums: 0 } };

/** Returns a Pillar in the node's form. */
function shownPillar(pillar: PillarView, figures: PillarFigures, rank: number) {
  return {
    name: pillar.name,
    rank,
    type: 1,
    ownerAddress: pillar.ownerAddress,
    producerAddress: pillar.producerAddress,
    withdrawAddress: pillar.withdrawAddress,
    isRevocable: false,
    revokeCooldown: 7_170_520,
    revokeTimestamp: 0,
    giveMomentumRewardPercentage: pillar.giveMomentumRewardPercentage,
    giveDelegateRewardPercentage: pillar.giveDelegateRewardPercentage,
    currentStats: figures.currentStats,
    weight: figures.weight,
  };
}

/** Returns the methods that show momentums. They show none above the node's own height. */
function momentumMethods(node: MethodsBackend): Methods {
  const frontier = () => Math.max(1, node.height());
  const claimed = () => Math.max(1, node.syncInfo().currentHeight);
  const told = (momentum: Momentum) => {
    const { otherChain, forkFrom } = node.settings();
    return otherChain ? onOtherChain(momentum, 0) : onOtherChain(momentum, forkFrom ?? Number.POSITIVE_INFINITY);
  };
  return {
    "ledger.getFrontierMomentum": method([], async () => {
      const height = claimed();
      const momentum = await node.chain.momentum(frontier());
      if (momentum === null) throw new Error("no frontier momentum");
      return shownMomentum({ ...told(momentum), height });
    }),
    "ledger.getMomentumsByHeight": method(["uint64", "uint64"], async (from: number, count: number) => {
      if (from === 0) throw new RpcError(-32000, "height parameter must be strictly greater than zero");
      if (count > maxCount) throw new RpcError(-32000, "count parameter is too big");
      const { noMomentums } = node.settings();
      if (noMomentums === "error") throw new RpcError(-32000, "leveldb: not found");
      if (noMomentums === "empty") return { count: claimed(), list: [] };
      // A node that claims a lower height shows no momentum above that height.
      const last = Math.min(frontier(), claimed(), from + count - 1);
      const list = last < from ? [] : await node.chain.momentums(from, last - from + 1);
      // The real node counts the whole chain here, not the list.
      return { count: claimed(), list: list.map((momentum) => shownMomentum(told(momentum))) };
    }),
    "ledger.getMomentumBeforeTime": method(["int64"], async (seconds: number) => {
      const found = await node.chain.momentumBefore(seconds);
      if (found === null) return null;
      const momentum = found.height <= frontier() ? found : await node.chain.momentum(frontier());
      return momentum === null ? null : shownMomentum(told(momentum));
    }),
  };
}

/** Returns a momentum with the hashes that a chain which forks at a height has there. */
function onOtherChain(momentum: Momentum, forkFrom: number): Momentum {
  const hashAt = (height: number, own: string) => (height < forkFrom ? own : momentumHash("another chain", height));
  const { height, hash, previousHash } = momentum;
  return { ...momentum, hash: hashAt(height, hash), previousHash: hashAt(height - 1, previousHash) };
}

function shownMomentum(momentum: Momentum) {
  return {
    version: 1,
    chainIdentifier: 1,
    hash: momentum.hash,
    previousHash: momentum.previousHash,
    height: momentum.height,
    timestamp: momentum.timestamp,
    data: "",
    content: [],
    changesHash: createHash("sha256").update(`changes ${momentum.hash}`).digest("hex"),
    publicKey: "",
    signature: "",
    producer: momentum.producer,
  };
}

/** Largest number of momentums in one answer. */
const maxCount = 1024;
