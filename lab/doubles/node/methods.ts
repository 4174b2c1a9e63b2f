import { createHash } from "node:crypto";
import { cpus, freemem, platform, release, totalmem } from "node:os";
import { addressFrom } from "../address";
import type { PillarView } from "../chain/truth";
import { type Methods, RpcError } from "./jsonRpc";
import { nodeCommit } from "./logLines";
import { type MomentumsBackend, momentumMethods } from "./momentums";

/** The parts of the node that its RPC methods need. */
export interface MethodsBackend extends MomentumsBackend {
  peers(): number;
  /** Returns the version of the program that was started. */
  version(): string;
  identity: string;
  /** Milliseconds for which Pillar statistics and weights are cached (the real node: 5 minutes). */
  statsCacheMs: number;
}

/** Returns the node's RPC methods. They get everything about the chain from the chain double. */
export function nodeMethods(node: MethodsBackend): Methods {
  const cache = new StatsCache(node);
  return {
    "stats.syncInfo": { args: [], call: () => node.syncInfo() },
    "stats.networkInfo": { args: [], call: () => networkInfo(node) },
    "stats.processInfo": { args: [], call: () => ({ version: node.version(), commit: nodeCommit }) },
    "stats.osInfo": { args: [], call: osInfo },
    ...momentumMethods(node),
    "embedded.bridge.getBridgeInfo": { args: [], call: () => node.chain.bridge() },
    "embedded.spork.getAll": {
      args: ["uint32", "uint32"],
      call: async (page, size) => {
        checkPageSize(size);
        const all = await node.chain.sporks();
        return { count: all.length, list: all.slice(Number(page) * Number(size), (Number(page) + 1) * Number(size)) };
      },
    },
    "embedded.pillar.getByName": {
      args: ["string"],
      call: async (name) => {
        const { nullPillar, forceProducer } = node.settings();
        const pillar = (await node.chain.electorate()).find((each) => each.name === String(name));
        if (pillar === undefined || nullPillar) return null;
        const shown = shownPillar(pillar, await cache.of(pillar.name));
        return { ...shown, producerAddress: forceProducer ?? shown.producerAddress };
      },
    },
    "embedded.pillar.getAll": {
      args: ["uint32", "uint32"],
      call: async (page, size) => {
        checkPageSize(size);
        const all = await node.chain.electorate();
        const part = all.slice(Number(page) * Number(size), (Number(page) + 1) * Number(size));
        const list = [];
        for (const pillar of part) list.push(shownPillar(pillar, await cache.of(pillar.name)));
        return { count: all.length, list };
      },
    },
    "embedded.pillar.getPillarEpochHistory": {
      args: ["string", "uint32", "uint32"],
      call: async (name, page, size) => {
        checkPageSize(size);
        return node.chain.epochs(String(name), Number(page), Number(size));
      },
    },
    "embedded.pillar.getUncollectedReward": {
      args: ["address"],
      call: async (address) => (await node.chain.rewards(String(address))).uncollected,
    },
    "embedded.pillar.getFrontierRewardByPage": {
      args: ["address", "uint32", "uint32"],
      call: async (address, page, size) => {
        checkPageSize(size);
        return (await node.chain.rewards(String(address), Number(page), Number(size))).page;
      },
    },
  };
}

function checkPageSize(size: string | number | undefined): void {
  if (Number(size) > maxPageSize) throw new RpcError(-32000, "page-size parameter is too big");
}

const maxPageSize = 1024;

interface PillarFigures {
  weight: string;
  currentStats: { producedMomentums: number; expectedMomentums: number };
}

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

function shownPillar(pillar: PillarView, figures: PillarFigures) {
  return {
    name: pillar.name,
    rank: pillar.rank,
    type: 1,
    ownerAddress: pillar.ownerAddress,
    producerAddress: pillar.producerAddress,
    withdrawAddress: pillar.withdrawAddress,
    giveMomentumRewardPercentage: pillar.giveMomentumRewardPercentage,
    giveDelegateRewardPercentage: pillar.giveDelegateRewardPercentage,
    isRevocable: pillar.isRevocable,
    revokeCooldown: 0,
    revokeTimestamp: 0,
    currentStats: figures.currentStats,
    weight: figures.weight,
  };
}

function networkInfo(node: MethodsBackend) {
  const peers = Array.from({ length: node.peers() }, (_, index) => ({
    publicKey: createHash("sha512").update(`peer ${index}`).digest("hex"),
    ip: `198.51.100.${index + 1}`,
    name: `go-node/${addressFrom(`peer ${index}`).slice(0, 8)}`,
  }));
  const self = { publicKey: node.identity, ip: "127.0.0.1", name: "*self*" };
  return { numPeers: peers.length, peers, self };
}

function osInfo() {
  return {
    os: platform(),
    platform: "debian",
    platformFamily: "debian",
    platformVersion: "11",
    kernelVersion: release(),
    memoryTotal: totalmem(),
    memoryFree: freemem(),
    numCPU: cpus().length,
    numGoroutine: 64,
  };
}
