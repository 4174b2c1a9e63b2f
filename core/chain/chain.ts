import { type Connection, createConnection } from "../ssh/connection";
import { isFatal } from "../ssh/sshErrors";
import { firstLine } from "../util/firstLine";
import { type BridgeInfo, parseBridge } from "./bridge";
import {
  type PaidEpoch,
  type PillarOnChain,
  type Produced,
  parseAmount,
  parsePaidEpochs,
  parsePillar,
  parseProduced,
  parseRows,
  parseStanding,
  type Rewards,
} from "./chainAnswers";
import type { PillarStanding } from "./elections";
import type { RpcAnswer } from "./jsonRpc";
import { type NodeTarget, nodeCalls, nodeResult } from "./node";
import { callReference } from "./reference";
import { parseSporks, type Spork } from "./sporks";

/** Asks one node about the chain. Every method throws with a reason in words. */
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
  const call = nodeCalls(target, connection, callTimeout);
  return chainClient(
    name,
    (method, params) =>
      call(method, params).catch((error: Error) => {
        throw isFatal(error) ? new Error(firstLine(error.message)) : error;
      }),
    () => connection.drop(),
  );
}

/** Formats an address so that it may be shown and kept: a path, a query and a user name may hold an access key. */
export function shownAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname.length > 1 || search !== "" ? `${origin}/…` : origin;
}

/** Asks an independent node at its address. */
export function chainOfReference(url: string): ChainClient {
  const call: Call = (method, params) => callReference(url, method, params, callTimeout);
  return chainClient(`reference ${shownAddress(url)}`, call, () => undefined);
}

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
