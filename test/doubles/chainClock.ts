import { Chain, type ChainOptions } from "../../lab/doubles/chain";

/** Creates a chain whose clock a test moves second by second, with a report of each running node. */
export function chainInHand(options: ChainOptions & { nodes?: Record<string, string> }) {
  let now = 1_700_000_000_000;
  const startedAt = now;
  const chain = new Chain({ ...options, clock: () => now });
  const nodes = options.nodes ?? {};
  const startHeight = chain.network().height;
  return {
    chain,
    /** Lets time go by; the nodes report once a second. */
    run(seconds: number): void {
      for (let second = 0; second < seconds; second++) {
        const { height } = chain.network();
        for (const [name, producerAddress] of Object.entries(nodes)) {
          const at = { height, startedAt, startHeight };
          chain.report(name, { ...at, state: 2, synced: true, producerAddress });
        }
        now += 1000;
      }
    },
    /** Lets time go by in one step, in which no node reports. */
    jump(seconds: number): void {
      now += seconds * 1000;
    },
    seconds: () => now / 1000,
  };
}
