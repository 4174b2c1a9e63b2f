import type { ChainClient, Rewards } from "../../../core/chain/chain.ts";
import type { Produced } from "../../../core/chain/chainAnswers.ts";
import { clientNamed } from "../chain/readings.ts";

/** Creates a chain as one node reports it: a momentum a second from time 0 on, with these producers. */
export function smallChain(producers: readonly string[], changes: Partial<ChainClient> = {}): ChainClient {
  const momentum = (height: number): Produced => ({
    height,
    timestamp: (height - 1) * 1000,
    hash: `h${height}`,
    producer: producers[height - 1] ?? "nobody",
  });
  const all = producers.map((_, at) => momentum(at + 1));
  return clientNamed("reference A", {
    newest: async () => ({ momentum: momentum(all.length), clock: (all.length - 1) * 1000 }),
    momentums: async (from, count) => all.slice(from - 1, from - 1 + count),
    before: async (time) => all.findLast(({ timestamp }) => timestamp < time),
    pillar: async (name) => ({
      name,
      producerAddress: "next",
      withdrawAddress: "withdraw",
      figures: { expected: 1, produced: 1 },
    }),
    standing: async () => ({ pillars: 3, place: 1 }),
    paidEpochs: async () => [],
    rewards: async (): Promise<Rewards> => ({ rows: [], uncollected: { znn: 0n, qsr: 0n } }),
    ...changes,
  });
}

/** Lists this many momentums of each producer, one producer after the other. */
export function runs(...parts: readonly (readonly [producer: string, count: number])[]): string[] {
  return parts.flatMap(([producer, count]) => Array<string>(count).fill(producer));
}
