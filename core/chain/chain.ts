import { type Connection, createConnection } from "../ssh/connection.ts";
import { isFatal } from "../ssh/sshErrors.ts";
import { isPrintable, takeFirstLine } from "../util/printable.ts";
import { hasKind } from "../util/problem.ts";
import { parseBridge } from "./bridge.ts";
import {
  isCount,
  type PaidEpoch,
  type Produced,
  parseAmount,
  parseForm,
  parseList,
  parseNodeId,
  parsePaidEpochs,
  parsePillar,
  parsePillarNames,
  parseProduced,
  parseRows,
  parseStanding,
} from "./chainAnswers.ts";
import { callReference, type RpcAnswer } from "./jsonRpc.ts";
import { createNodeCalls, type NodeTarget, type Observation, parseNodeResult, parseSyncInfo } from "./node.ts";
import { parseSporks, type Spork } from "./sporks.ts";

type Call = (method: string, params: readonly unknown[]) => Promise<RpcAnswer>;

/** The most momentums in one answer of a node. */
export const momentumPage = 1024;

const callTimeout = 20_000;
/** Shorter than the time of a lookup, which tells a frozen node from an unreachable host. */
const observationTimeout = 15_000;

/**
 * Returns a client for a host's node over one connection, which it makes again after it broke. Fatal ssh errors become
 * ordinary ones, like any missing answer, except for `observe`.
 */
export function openNodeChain(name: string, target: NodeTarget, connection: Connection = createConnection(target.ssh)) {
  let isReached = false;
  let logins = 0;
  const call = createNodeCalls(target, connection, () => {
    isReached = true;
  });
  const client = createChainClient(
    name,
    (method, params) =>
      call(method, params, callTimeout).catch((error: Error) => {
        throw isFatal(error) ? new Error(takeFirstLine(error.message)) : error;
      }),
    () => connection.drop(),
  );
  return {
    ...client,
    /** Throws only FatalError, for which a retry is useless: a changed host key, a refused login. */
    observe: async (): Promise<Observation> => {
      isReached = target.via === "direct";
      try {
        const answer = await call("stats.syncInfo", [], observationTimeout);
        const info = parseSyncInfo(parseNodeResult(answer));
        const found = info.state === 2 ? await client.newest().catch(() => undefined) : undefined;
        const peers = info.state === 3 ? await client.peers().catch(() => undefined) : undefined;
        const isReconnected = logins > 0 && connection.loginCount > logins;
        logins = connection.loginCount;
        const nodeTime = answer.date ?? Date.now();
        return {
          kind: "answer",
          info,
          newest: found?.momentum,
          peers,
          nodeTime,
          ...(isReconnected && { isReconnected }),
        };
      } catch (error) {
        if (isFatal(error)) throw error;
        // A dead connection looks like a silent node, so the next observation opens a new one.
        if (hasKind(error, "late")) connection.drop("dead");
        const reason = error instanceof Error ? error.message : String(error);
        return isReached ? { kind: "none", reason } : { kind: "none", reason, unreachable: true };
      }
    },
  };
}

/** Formats an address without its path, query and user name, since they may hold an access key. */
export function redactAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname.length > 1 || search !== "" ? `${origin}/…` : origin;
}

export function openReferenceChain(url: string): ChainClient {
  const call: Call = (method, params) => callReference(url, method, params, callTimeout);
  return createChainClient(`reference ${redactAddress(url)}`, call, () => undefined);
}

export type ChainClient = ReturnType<typeof createChainClient>;
export type Rewards = Readonly<Awaited<ReturnType<ChainClient["rewards"]>>>;

/** Reads the chain of one node. Every method throws an error with a readable reason. */
export function createChainClient(name: string, call: Call, close: () => void) {
  const ask = async (method: string, params: readonly unknown[]) => parseNodeResult(await call(method, params));
  const askOptional = (method: string, params: readonly unknown[]) =>
    ask(method, params).catch((error: Error) => {
      if (!hasKind(error, "noMethod")) throw error;
    });
  return {
    /** Names the node in error texts: `this host's node (203.0.113.7)`. */
    name,
    close,
    /** Reads the newest momentum and the node's clock in unix milliseconds. */
    newest: async () => {
      const answer = await call("ledger.getFrontierMomentum", []);
      return { momentum: parseProduced(parseNodeResult(answer)), clock: answer.date ?? Date.now() };
    },
    /** Reads at most `count` (1024) momentums from a height on, in ascending order. */
    momentums: async (from: number, count: number): Promise<readonly Produced[]> => {
      const method = "ledger.getMomentumsByHeight";
      return parseList(await ask(method, [from, count]), method).map(parseProduced);
    },
    /** Reads the last momentum before a time (unix milliseconds); undefined if there is none. */
    before: async (time: number) => {
      const result = await ask("ledger.getMomentumBeforeTime", [Math.ceil(time / 1000)]);
      return result === null ? undefined : parseProduced(result);
    },
    /** Reads a Pillar; null if nobody registered it. */
    pillar: async (pillar: string) => parsePillar(await ask("embedded.pillar.getByName", [pillar]), pillar),
    /** Reads a Pillar's rank among all Pillars; undefined if the node does not offer the method. */
    standing: async (pillar: string) => {
      const page = await askOptional("embedded.pillar.getAll", [0, pillarRows]);
      return page === undefined ? undefined : parseStanding(page, pillar);
    },
    pillarNames: async () => parsePillarNames(await ask("embedded.pillar.getAll", [0, pillarRows])),
    version: async () =>
      parseForm("stats.processInfo", await ask("stats.processInfo", []), { version: isPrintable }).version,
    /** Reads the public key by which the node's peers know it, from its network-private-key: no two nodes have the same. */
    id: async () => parseNodeId(await ask("stats.networkInfo", [])),
    peers: async () =>
      parseForm("stats.networkInfo", await ask("stats.networkInfo", []), { numPeers: isCount }).numPeers,
    bridge: async () => parseBridge(await ask("embedded.bridge.getBridgeInfo", [])),
    /** Reads the network's sporks; empty if the node does not offer the method. */
    sporks: async (): Promise<readonly Spork[]> => {
      const page = await askOptional("embedded.spork.getAll", [0, sporkRows]);
      return page === undefined ? [] : parseSporks(page);
    },
    /** Reads a Pillar's paid epochs, newest first; empty if the node does not offer the method. */
    paidEpochs: async (pillar: string): Promise<readonly PaidEpoch[]> => {
      const page = await askOptional("embedded.pillar.getPillarEpochHistory", [pillar, 0, rewardRows]);
      return page === undefined ? [] : parsePaidEpochs(page);
    },
    /** Reads the newest reward rows of an address, newest first, and its uncollected amount. */
    rewards: async (address: string) => {
      const amount = await ask("embedded.pillar.getUncollectedReward", [address]);
      const page = await ask("embedded.pillar.getFrontierRewardByPage", [address, 0, rewardRows]);
      return { uncollected: parseAmount(amount), rows: parseRows(page) };
    },
  };
}

const rewardRows = 20;
/** Large enough for all: there are about a hundred Pillars, and there were three sporks in five years. */
const pillarRows = 1024;
const sporkRows = 1024;
