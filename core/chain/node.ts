import net from "node:net";
import type { Connection } from "../ssh/connection.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { isFatal } from "../ssh/sshErrors.ts";
import { printable } from "../util/printable.ts";
import { hasKind, ProblemError } from "../util/problem.ts";
import { isCount, type Produced, parseForm, parseProduced } from "./chainAnswers.ts";
import { callHttp, type RpcAnswer, rpcBody } from "./jsonRpc.ts";
import type { VersionRules } from "./versionRules.ts";

/** A node's RPC and the way to it: through ssh to an address on the host, or directly. */
export interface NodeTarget {
  readonly ssh: SshTarget;
  readonly via: "ssh" | "direct";
  readonly address: string;
  readonly port: number;
  /** Absent in a state that an earlier version of this program stored. */
  readonly versions?: VersionRules | undefined;
}

/** `stats.syncInfo` (docs/specification.md, 2.2). States: 0 unknown, 1 syncing, 2 synced, 3 not enough peers. */
export interface SyncInfo {
  readonly state: number;
  readonly currentHeight: number;
  /** Height that the best peer claims. 0 without peers; may be below currentHeight. */
  readonly targetHeight: number;
}

export type Momentum = Omit<Produced, "producer">;

export type Observation =
  | {
      readonly kind: "answer";
      readonly info: SyncInfo;
      /** Absent if the node does not return its newest momentum. */
      readonly newest?: Momentum | undefined;
      readonly peers?: number | undefined;
      /** Unix milliseconds by the node's clock. */
      readonly nodeTime: number;
      /** True if the connection had broken since the previous observation. */
      readonly isReconnected?: boolean;
    }
  | {
      readonly kind: "none";
      readonly reason: string;
      readonly unreachable?: boolean;
    };

const methodNotFound = -32601;

/** Returns the result in a node's answer. @throws what is wrong with the answer, in the operator's words */
export function parseNodeResult(answer: RpcAnswer): unknown {
  if (answer.status !== 200) {
    const known: Record<number, string> = {
      403: "403, the node refuses the Host header",
      415: "415, the node refuses the content type",
      429: "429, too many requests",
    };
    throw new Error(`the RPC answers ${known[answer.status] ?? answer.status}`);
  }
  if (answer.body.trim() === "") throw new Error("the RPC gives an empty answer");
  let envelope: { result?: unknown; error?: { code?: unknown; message?: unknown } } | null;
  try {
    envelope = JSON.parse(answer.body);
  } catch {
    throw new Error("the RPC's answer is not JSON: cut off, or another service on its port");
  }
  if (envelope?.error) {
    const { code, message } = envelope.error;
    const words = `${printable(String(code)).slice(0, 20)}: ${printable(String(message)).slice(0, 200)}`;
    const kind = code === methodNotFound ? "noMethod" : undefined;
    throw new ProblemError({ kind, what: `the RPC answers with error ${words}` });
  }
  if (typeof envelope !== "object" || envelope === null || !("result" in envelope))
    throw new Error("another service answers on the RPC's port");
  return envelope.result;
}

/** @throws if the result has another form */
export function parseSyncInfo(result: unknown): SyncInfo {
  const checks = { state: isCount, currentHeight: isCount, targetHeight: isCount };
  const { state, currentHeight, targetHeight } = parseForm("stats.syncInfo", result, checks);
  return { state, currentHeight, targetHeight };
}

const parsePeers = (result: unknown) => parseForm("stats.networkInfo", result, { numPeers: isCount }).numPeers;

const callTimeout = 15_000;

/** Returns a function that calls a node's RPC. Calls `reached` once the ssh login has succeeded. */
export function createNodeCalls(
  { via, address, port }: NodeTarget,
  connection: Connection,
  timeout: number,
  reached: () => void = () => undefined,
): (method: string, params?: readonly unknown[]) => Promise<RpcAnswer> {
  const authority = net.isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  return async (method, params = []) => {
    // docs/specification.md, 4.1
    const call = { verb: "GET", authority, body: rpcBody(method, params), timeout, whom: "the node" } as const;
    if (via === "direct") return callHttp(async () => net.connect(port, address), call);
    // The login has its own timeouts, and may take longer than `timeout`, which limits the call.
    const session = await connection.session();
    reached();
    return callHttp(() => session.forward(address, port), call);
  };
}

export type NodeClient = ReturnType<typeof createNodeClient>;

/** Returns a client that observes a node over one connection, which it makes again after it broke, and closes. */
export function createNodeClient(target: NodeTarget, connection: Connection) {
  let isReached = false;
  let used = 0;
  const call = createNodeCalls(target, connection, callTimeout, () => {
    isReached = true;
  });
  const optional = async <T>(method: string, parse: (result: unknown) => T) => {
    try {
      return parse(parseNodeResult(await call(method)));
    } catch {
      return undefined;
    }
  };
  return {
    close: () => connection.drop(),
    /** Throws only FatalError, for which a retry is useless: a changed host key, a refused login. */
    observe: async (): Promise<Observation> => {
      isReached = target.via === "direct";
      try {
        const answer = await call("stats.syncInfo");
        const info = parseSyncInfo(parseNodeResult(answer));
        const newest = info.state === 2 ? await optional("ledger.getFrontierMomentum", parseProduced) : undefined;
        const peers = info.state === 3 ? await optional("stats.networkInfo", parsePeers) : undefined;
        const isReconnected = used > 0 && connection.loginCount > used;
        used = connection.loginCount;
        const found = { kind: "answer", info, newest, peers, nodeTime: answer.date ?? Date.now() } as const;
        return isReconnected ? { ...found, isReconnected } : found;
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
