import type { BridgeInfo } from "../../chain/bridge";
import { type ChainClient, chainOfNode, chainOfReference } from "../../chain/chain";
import { faultText } from "../../chain/messages";
import { networkPaceMs } from "../../chain/networkPace";
import type { NodeTarget } from "../../chain/node";
import { isAnswered, readNode } from "../../chain/reading";

/**
 * The bridge as the chain has it, which its signers learn later: getStatus tells of a halt up to some 40 seconds after
 * it, and so does the state that a signer writes at its stop.
 */
export type BridgeNow =
  | {
      readonly known: true;
      /** As an orchestrator numbers them: 0 live, 1 key generation, 2 halted. */
      readonly state: 0 | 1 | 2;
      /** Its signers' key, as {@link BridgeInfo} has it. */
      readonly key: string;
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

/** For one node's word; milliseconds. */
const limit = 20_000;

/** Asks one after the other until one tells. Never throws. */
export async function lookAtBridge({ node, references }: BridgeSources): Promise<BridgeNow> {
  const own = chainOfNode(`the node of ${node.ssh.address}`, node);
  try {
    return await askInTurn([own, ...references.map(chainOfReference)]);
  } finally {
    own.close();
  }
}

/** @param clients whom to ask, in this order */
export async function askInTurn(clients: readonly ChainClient[]): Promise<BridgeNow> {
  const reasons: string[] = [];
  for (const client of clients) {
    const reading = await readNode(client, async () => ({ bridge: await client.bridge() }), limit);
    const now = isAnswered(reading)
      ? judgeBridge(reading.bridge, reading.newest.height, client.name)
      : { known: false as const, why: `${client.name}: ${faultText(reading.fault)}` };
    if (now.known) return now;
    reasons.push(now.why);
  }
  return { known: false, why: reasons.join("; ") };
}

/**
 * Judges the bridge as node and orchestrator do (go-zenon, vm/embedded/implementation/bridge.go,
 * CheckBridgeHalted): an unhalted bridge stays halted for a while.
 *
 * @param height of the newest momentum
 */
export function judgeBridge(bridge: BridgeInfo, height: number, name: string): BridgeNow {
  const says = (state: 0 | 1 | 2, words: string) => {
    const why = `${name} says (embedded.bridge.getBridgeInfo): ${words}`;
    return { known: true as const, state, key: bridge.key, why };
  };
  // What a node answers of a chain on which no bridge was ever set up.
  if (bridge.key === "") return { known: false, why: `${name} knows of no bridge` };
  if (bridge.isHalted) return says(2, "the bridge is halted");
  const last = bridge.unhaltedAt + bridge.unhaltDuration;
  // A signer begins a key generation when it is live, not while it is halted.
  if (last < height && bridge.allowsKeyGeneration) return says(1, "a key generation is at work (allowKeyGen)");
  if (last < height) return says(0, "the bridge is live");
  const minutes = Math.ceil(((last + 1 - height) * networkPaceMs) / 60_000);
  const when = `unhalted at momentum ${bridge.unhaltedAt}, it is live from momentum ${last + 1} on, in about ${minutes} min`;
  return says(2, `the bridge is halted still: ${when}`);
}
