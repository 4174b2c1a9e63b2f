import type { ChainClient } from "../chain/chain.ts";
import type { PillarOnChain, Produced } from "../chain/chainAnswers.ts";
import type { ChainView } from "../chain/chainView.ts";
import { type Answered, type Reading, readNode, readWholePage } from "../chain/reading.ts";
import { type Block, readSharedHeights } from "../chain/sameChain.ts";

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

const hostTimeoutMs = 10_000;
/** Shorter, because a reference that is down for good costs this time in every run. */
const referenceTimeoutMs = 5000;

/** Reads from all nodes at once, with the momentums by which their chains are compared. Never throws. */
export async function readPillarFromAll(view: ChainView, pillar: string): Promise<readonly PillarReading[]> {
  const readings = await view.read((client, role) =>
    readPillar(client, pillar, role === "reference" ? referenceTimeoutMs : hostTimeoutMs),
  );
  return readSharedHeights(readings, referenceTimeoutMs);
}
