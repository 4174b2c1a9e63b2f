import { callRpc, type RpcAnswer } from "../chain/jsonRpc";
import { type NodeTarget, nodeResult, nodeStreams } from "../chain/node";
import { callReference } from "../chain/reference";
import { createConnection } from "../ssh/connection";
import { withTimeout } from "../util/withTimeout";

/**
 * The bridge as the chain has it, which its signers learn later: getStatus tells of a halt up to some 40 seconds after
 * it, and so does the state that a signer writes at its stop.
 */
export type BridgeNow =
  | {
      readonly known: true;
      /** As an orchestrator numbers them: 0 live, 1 key generation, 2 halted. */
      readonly state: 0 | 1 | 2;
      /** Whose word it is, and which. */
      readonly why: string;
    }
  /** Nobody tells, or there is no bridge on this chain. */
  | { readonly known: false; readonly why: string };

/** What a move asks of it; the new host's node first, then the references. */
export interface BridgeSources {
  readonly node: NodeTarget;
  readonly references: readonly string[];
}

type Call = (method: string) => Promise<RpcAnswer>;

const callTimeout = 15_000;
const referenceTime = 5000;
const deadline = 30_000;
const momentumSeconds = 10;

/** Asks one after the other until one tells. Never throws. */
export async function lookAtBridge({ node, references }: BridgeSources): Promise<BridgeNow> {
  const connection = createConnection(node.ssh);
  const { open, authority } = nodeStreams(node, connection);
  const own: Call = (method) => callRpc(open, { authority, method, timeout: callTimeout });
  try {
    return await askInTurn([
      { name: `the node of ${node.ssh.address}`, call: own },
      ...references.map((url) => ({
        name: `reference ${url}`,
        call: (method: string) => callReference(url, method, [], referenceTime),
      })),
    ]);
  } finally {
    connection.drop();
  }
}

/** @param sources whom to ask, in this order */
export async function askInTurn(
  sources: readonly { readonly name: string; readonly call: Call }[],
): Promise<BridgeNow> {
  const reasons: string[] = [];
  for (const { name, call } of sources) {
    const now = await withTimeout(ask(name, call), deadline, `no answer within ${deadline / 1000} s`).catch(
      (error: Error): BridgeNow => ({ known: false, why: `${name}: ${error.message.split("\n")[0]}` }),
    );
    if (now.known) return now;
    reasons.push(now.why);
  }
  return { known: false, why: reasons.join("; ") };
}

async function ask(name: string, call: Call): Promise<BridgeNow> {
  const info = nodeResult(await call("embedded.bridge.getBridgeInfo"));
  const { height } = (nodeResult(await call("ledger.getFrontierMomentum")) ?? {}) as { height?: unknown };
  if (!isCount(height)) throw new Error("the RPC's momentum has no height");
  return judgeBridge(info, height, name);
}

/**
 * Judges an answer to embedded.bridge.getBridgeInfo (pure) as node and orchestrator do (go-zenon,
 * vm/embedded/implementation/bridge.go, CheckBridgeHalted): an unhalted bridge stays halted for a while.
 *
 * @param height of the newest momentum
 * @throws where it has another form
 */
export function judgeBridge(info: unknown, height: number, name: string): BridgeNow {
  const found = (info ?? {}) as Record<string, unknown>;
  const { halted, allowKeyGen, unhaltedAt, unhaltDurationInMomentums: duration, compressedTssECDSAPubKey: key } = found;
  if (typeof halted !== "boolean" || typeof allowKeyGen !== "boolean" || !isCount(unhaltedAt) || !isCount(duration))
    throw new Error(
      "the RPC's embedded.bridge.getBridgeInfo does not have the form {halted, unhaltedAt, unhaltDurationInMomentums, allowKeyGen}",
    );
  const says = (words: string) => `${name} says (embedded.bridge.getBridgeInfo): ${words}`;
  // What a node answers of a chain on which no bridge was ever set up.
  if (typeof key !== "string" || key === "") return { known: false, why: `${name} knows of no bridge` };
  if (halted) return { known: true, state: 2, why: says("the bridge is halted") };
  const last = unhaltedAt + duration;
  // A signer begins a key generation when it is live, not while it is halted.
  if (last < height && allowKeyGen)
    return { known: true, state: 1, why: says("a key generation is at work (allowKeyGen)") };
  if (last < height) return { known: true, state: 0, why: says("the bridge is live") };
  const minutes = Math.ceil(((last + 1 - height) * momentumSeconds) / 60);
  const when = `unhalted at momentum ${unhaltedAt}, it is live from momentum ${last + 1} on, in about ${minutes} min`;
  return { known: true, state: 2, why: says(`the bridge is halted still: ${when}`) };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
