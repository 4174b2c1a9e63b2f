import type { ChainClient, PillarOnChain, Produced } from "../chain/chain";
import { withTimeout } from "../util/withTimeout";

/** What one node says of a Pillar and of the chain's newest momentums, or why it says nothing. */
export interface SourceReading {
  /** Who was asked, for reasons. */
  readonly name: string;
  /** Its own clock, unix milliseconds. */
  readonly clock?: number;
  /** Its newest momentums in ascending order, about {@link recentCount}. */
  readonly recent?: readonly Produced[];
  /** null: nobody registered it. */
  readonly pillar?: PillarOnChain | null;
  readonly error?: string;
}

/** Enough to compare two nodes' chains, and small enough for every `up`. */
export const recentCount = 128;

/** Asks one node. Never throws, and takes no longer than this, in milliseconds. */
export async function readSource(client: ChainClient, pillar: string, limit: number): Promise<SourceReading> {
  const { name } = client;
  const reading = async (): Promise<SourceReading> => {
    const { momentum, clock } = await client.newest();
    const from = Math.max(1, momentum.height - recentCount + 1);
    const [registered, recent] = await Promise.all([client.pillar(pillar), client.momentums(from, recentCount)]);
    return { name, clock, recent, pillar: registered };
  };
  try {
    return await withTimeout(reading(), limit, `no answer within ${limit / 1000} s`);
  } catch (error) {
    return { name, error: error instanceof Error ? error.message : String(error) };
  }
}
