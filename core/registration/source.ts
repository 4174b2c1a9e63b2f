import type { ChainClient } from "../chain/chain";
import type { PillarOnChain, Produced } from "../chain/chainAnswers";
import { openReferences } from "../chain/distinct";
import { type Answered, type Reading, readNode, silentBy, wholePage } from "../chain/reading";
import { type Block, showToEachOther } from "../chain/sameChain";

/** What a node says of a Pillar and of the chain's newest momentums. */
interface PillarWord {
  /** Its newest momentums in ascending order, about {@link recentCount}. */
  readonly recent: readonly Produced[];
  /** Those that it was asked for to be compared with nodes that are far behind it. */
  readonly older?: readonly Block[];
  /** null: nobody registered it. */
  readonly pillar: PillarOnChain | null;
}

export type PillarReading = Reading<PillarWord>;
export type PillarAnswer = Answered<PillarWord>;

/** Enough to compare two nodes' chains, and small enough for every `up`. */
export const recentCount = 128;

/** Asks one node. Never throws, and takes no longer than this, in milliseconds. */
export function readPillar(client: ChainClient, pillar: string, limit: number): Promise<PillarReading> {
  const ask = async ({ newest: { height } }: { readonly newest: Produced }) => {
    const [registered, recent] = await Promise.all([
      client.pillar(pillar),
      wholePage(client, Math.max(1, height - recentCount + 1), height),
    ]);
    return "fault" in recent ? recent : { recent: recent.page, pillar: registered };
  };
  return readNode<PillarWord>(client, ask, limit);
}

const ownTime = 10_000;
/** One that is gone for good is waited for in every run. */
const referenceTime = 5000;

/**
 * Asks the node here, where there is one to ask, and the references, all at once. Never throws.
 *
 * @param address the host's own: a reference there is the same node once more
 */
export async function readSources(
  own: ChainClient | undefined,
  references: readonly string[],
  pillar: string,
  address: string,
): Promise<readonly PillarReading[]> {
  const ownReading = own && readPillar(own, pillar, ownTime);
  // One node under two names would outvote this one.
  const all = await openReferences(references, [{ host: address, what: "this host itself" }]);
  const others = all.map(({ client, fault }) =>
    fault === undefined ? readPillar(client, pillar, referenceTime) : { client, fault: silentBy(fault) },
  );
  const readings = await Promise.all([...(ownReading ? [ownReading] : []), ...others]);
  return showToEachOther(readings, referenceTime);
}
