import type { BridgeInfo } from "../../chain/bridge.ts";
import type { ChainClient } from "../../chain/chain.ts";
import { type ChainView, openChainView } from "../../chain/chainView.ts";
import { networkPaceMs } from "../../chain/elections.ts";
import type { NodeTarget } from "../../chain/node.ts";
import { createSilentFault, readNode } from "../../chain/reading.ts";
import { hasShareForKey } from "../../host/shareFileName.ts";
import type { Problem } from "../../util/problem.ts";
import type { BackupContent } from "../backup/restoreBackup.ts";
import type { Confirmation } from "../rules/confirmations.ts";

/** The bridge's state on the chain. Orchestrators learn of a halt up to 40 seconds later. */
export type BridgeNow =
  | {
      readonly known: true;
      /** As orchestrators number it: 0 live, 1 key generation, 2 halted. */
      readonly state: 0 | 1 | 2;
      readonly key: string;
      readonly why: string;
    }
  /** No node answered, or the chain has no bridge. */
  | { readonly known: false; readonly why: string };

/** Reads the bridge's state from a host's node, else from a reference. Never throws. */
export async function readHostBridge({ node, references }: { node: NodeTarget; references: readonly string[] }) {
  const view = openChainView(node, { own: node, references });
  return readBridge(view).finally(view.close);
}

/** Reads the bridge's state from the first node that answers. Never throws. */
export async function readBridge(view: Pick<ChainView, "readInTurn">): Promise<BridgeNow> {
  const read = (client: ChainClient) =>
    readNode<{ readonly bridge: BridgeInfo }>(
      client,
      async () => {
        const bridge = await client.bridge();
        // A node returns an empty key if no bridge was ever set up.
        return bridge.key === "" ? { fault: createSilentFault("it knows of no bridge") } : { bridge };
      },
      20_000,
    );
  try {
    const { client, newest, bridge } = await view.readInTurn(read);
    return judgeBridge(bridge, newest.height, client.name);
  } catch (error) {
    return { known: false, why: (error as Error).message };
  }
}

/**
 * Judges the bridge's state as node and orchestrator do (go-zenon, vm/embedded/implementation/bridge.go,
 * CheckBridgeHalted): an unhalted bridge stays halted for some momentums more. `height`: the newest momentum's.
 */
export function judgeBridge(bridge: BridgeInfo, height: number, name: string): BridgeNow {
  const reading = (state: 0 | 1 | 2, words: string) => {
    const why = `${name} says (embedded.bridge.getBridgeInfo): ${words}`;
    return { known: true as const, state, key: bridge.key, why };
  };
  if (bridge.isHalted) return reading(2, "the bridge is halted");
  const last = bridge.unhaltedAt + bridge.unhaltDuration;
  // Orchestrators begin a key generation only when the bridge is live.
  if (last < height && bridge.allowsKeyGeneration) return reading(1, "a key generation is at work (allowKeyGen)");
  if (last < height) return reading(0, "the bridge is live");
  const minutes = Math.ceil(((last + 1 - height) * networkPaceMs) / 60_000);
  const when = `the unhalt of momentum ${bridge.unhaltedAt} takes effect at momentum ${last + 1}, in about ${minutes} min`;
  return reading(2, `the bridge is still halted: ${when}`);
}

export function formatBridgeState(bridge: BridgeNow): string[] {
  if (!bridge.known)
    return [`no node tells the bridge's state, so the orchestrator's own getStatus decides: ${bridge.why}`];
  return bridge.state === 0 ? [] : [bridge.why];
}

/** Checks that no key generation came after a backup: its share must be of the bridge's key on the chain. */
export function findStaleShare(
  { keyShare }: Pick<BackupContent, "keyShare">,
  bridge: BridgeNow,
  { noKeyShare }: { readonly noKeyShare: Pick<Confirmation, "isGiven"> },
): Problem | undefined {
  if (noKeyShare.isGiven || (bridge.known && hasShareForKey(bridge.key, keyShare?.files ?? []))) return undefined;
  if (!bridge.known)
    return {
      what: "it is unknown whether the backup's key share is of the bridge's key",
      found: bridge.why,
      needed: "a node that tells the bridge's key: add one to pillar-host:sync.references",
    };
  return {
    what: "the backup's key share is not of the bridge's key: a key generation came after it",
    found: keyShare === undefined ? "no key share" : `${keyShare.files.join(", ")}, made ${keyShare.generatedAt}`,
    needed: "give a backup from after the key generation, or let the orchestrator take part in the next one",
  };
}
