import net from "node:net";
import type { Connection } from "../ssh/connection.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { parseJson } from "../util/parseJson.ts";
import { printable } from "../util/printable.ts";
import { hasKind, ProblemError } from "../util/problem.ts";
import { isCount, type Produced, parseForm } from "./chainAnswers.ts";
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
export type SyncInfo = Readonly<ReturnType<typeof parseSyncInfo>>;

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
  // The node says why (invalid host, content type), and so does a proxy before it.
  const begin = `"${printable(answer.body.trim()).slice(0, 80)}"`;
  if (answer.status !== 200) throw new Error(`the RPC answers ${answer.status}${begin === '""' ? "" : `: ${begin}`}`);
  if (answer.body.trim() === "") throw new Error("the RPC gives an empty answer");
  type Envelope = { result?: unknown; error?: { code?: unknown; message?: unknown } } | null | undefined;
  const envelope = parseJson(answer.body.trim()) as Envelope;
  if (envelope === undefined) throw new Error(`the RPC's answer is not JSON: ${begin}`);
  if (envelope?.error) {
    // A proxy before the node may answer in another form.
    const { code, message = JSON.stringify(envelope.error) } = envelope.error;
    const number = code === undefined ? "" : `${printable(String(code)).slice(0, 20)}: `;
    const words = `${number}${printable(String(message)).slice(0, 200)}`;
    const kind = code === methodNotFound ? "noMethod" : undefined;
    throw new ProblemError({ kind, what: `the RPC answers with error ${words}` });
  }
  if (typeof envelope !== "object" || envelope === null || !("result" in envelope))
    throw new Error(`the RPC's answer has no result: ${begin}`);
  return envelope.result;
}

/** Parses stats.syncInfo. `targetHeight`: the best peer's claim; 0 without peers, may be below `currentHeight`. @throws */
export function parseSyncInfo(result: unknown) {
  const checks = { state: isCount, currentHeight: isCount, targetHeight: isCount };
  const { state, currentHeight, targetHeight } = parseForm("stats.syncInfo", result, checks);
  return { state, currentHeight, targetHeight };
}

/** Returns a function that calls a node's RPC. Calls `reached` once the ssh login has succeeded. */
export function createNodeCalls({ via, address, port }: NodeTarget, connection: Connection, reached: () => void) {
  const authority = net.isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  return async (method: string, params: readonly unknown[], timeout: number): Promise<RpcAnswer> => {
    // docs/specification.md, 4.1
    const call = { verb: "GET", authority, body: rpcBody(method, params), timeout, whom: "the node" } as const;
    if (via === "direct") return callHttp(async () => net.connect(port, address), call);
    // The login has its own timeouts, and may take longer than `timeout`, which limits the call.
    const session = await connection.session();
    reached();
    return callHttp(() => session.forward(address, port), call).catch((error: Error) => {
      if (!hasKind(error, "closedPort")) throw error;
      throw new Error(`${error.message}: the node is down, restarts, or listens elsewhere (rpcAddress, rpcPort)`);
    });
  };
}
