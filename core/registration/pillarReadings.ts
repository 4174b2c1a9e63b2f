import type { ChainClient } from "../chain/chain.ts";
import type { PillarOnChain, Produced } from "../chain/chainAnswers.ts";
import { readReferences } from "../chain/distinctReferences.ts";
import { addVersionFault } from "../chain/nodeVersion.ts";
import { type Answered, type Reading, readNode, readWholePage } from "../chain/reading.ts";
import { type Block, readSharedHeights } from "../chain/sameChain.ts";
import type { VersionRules } from "../chain/versionRules.ts";

interface PillarWord {
  /** The newest momentums in ascending order, about {@link recentCount}. */
  readonly recent: readonly Produced[];
  /** Older momentums, to compare the node with nodes that are far behind it. */
  readonly older?: readonly Block[];
  readonly pillar: PillarOnChain | null;
}

export type PillarReading = Reading<PillarWord>;
export type PillarAnswer = Answered<PillarWord>;

/** Momentums: enough to compare two nodes' chains, and small enough to read on every `up`. */
const recentCount = 128;

/** Reads what one node says about a Pillar. Never throws, and takes at most `limit` milliseconds. */
export function readPillar(client: ChainClient, pillar: string, limit: number): Promise<PillarReading> {
  const ask = async ({ newest: { height } }: { readonly newest: Produced }) => {
    const [registered, recent] = await Promise.all([
      client.pillar(pillar),
      readWholePage(client, Math.max(1, height - recentCount + 1), height),
    ]);
    return "fault" in recent ? recent : { recent: recent.page, pillar: registered };
  };
  return readNode<PillarWord>(client, ask, limit);
}

const ownTime = 10_000;
/** Shorter than `ownTime`, because a reference that is down for good costs this time in every run. */
const referenceTime = 5000;

/**
 * Reads from this host's node, if it can be asked, and from the references, all at once. Never throws. Leaves out a
 * reference with this host's `address`, which is the same node, and one that lacks a required version.
 */
export async function readSources(
  own: ChainClient | undefined,
  references: readonly string[],
  pillar: string,
  { address, versions }: { readonly address: string; readonly versions: VersionRules | undefined },
): Promise<readonly PillarReading[]> {
  const ownReading = own && readPillar(own, pillar, ownTime);
  // A single node under two names would outvote this host's node.
  const excluded = [{ host: address, what: "this host itself" }];
  const others = await readReferences(references, excluded, async (client) =>
    addVersionFault(await readPillar(client, pillar, referenceTime), versions),
  );
  return readSharedHeights([...(ownReading ? [await ownReading] : []), ...others], referenceTime);
}
