import { type ChainClient, openNodeChain } from "../chain/chain.ts";
import { readVersionGaps } from "../chain/nodeVersion.ts";
import { type ChainExcerpt, readOlderMomentums } from "../chain/sameChain.ts";
import type { WhichHost } from "../host/rootPair.ts";
import type { WitnessSources } from "../sync/judgeWitnesses.ts";
import { type NodeStatus, readNodeStatus } from "../sync/nodeStatus.ts";
import type { Clock } from "../util/clock.ts";
import { withTimeout } from "../util/withTimeout.ts";
import type { ChainCopyInputs } from "./copyInputs.ts";

const limit = 60_000;

export interface CopyDeps extends Clock, ReturnType<typeof createNodeAccess> {
  say(line: string): void;
  /** Aborted when the engine is killed, because then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

/** Returns access to the real nodes. Each lookup opens its own connections and closes them. */
export function createNodeAccess(inputs: ChainCopyInputs) {
  const ask = <T>(side: WhichHost, read: (client: ChainClient) => Promise<T>) => {
    const client = openNodeChain("the node", inputs[side].node);
    return withTimeout(read(client), limit).finally(client.close);
  };
  return {
    readNodeStatus: (side: WhichHost): Promise<NodeStatus> =>
      readNodeStatus(inputs[side].node, createWitnesses(inputs, side)),
    readVersion: (side: WhichHost) => ask(side, (client) => client.version()),
    /** Reads the required versions that the new node lacks. It reaches every height of the table. */
    readVersionGaps: () =>
      ask("new", (client) => readVersionGaps(client, inputs.new.node.versions, Number.POSITIVE_INFINITY)),
    /** Reads momentums at a height that both nodes have. */
    readChains: async () => {
      const clients = {
        old: openNodeChain("the old host's node", inputs.old.node),
        new: openNodeChain("the new host's node", inputs.new.node),
      };
      try {
        const newest = { old: (await clients.old.newest()).momentum, new: (await clients.new.newest()).momentum };
        const read = async (side: WhichHost): Promise<ChainExcerpt> => {
          const own: ChainExcerpt = { newest: newest[side] };
          const found = await readOlderMomentums(own, clients[side], [newest.old.height, newest.new.height], limit);
          return "fault" in found ? own : { ...own, older: found.older };
        };
        return { old: await read("old"), new: await read("new") };
      } finally {
        clients.old.close();
        clients.new.close();
      }
    },
  };
}

/**
 * Returns the witnesses for a lookup at one node. The old node is a witness of the new node's chain; a reference, if
 * configured, of the old node's. The new node is never a witness: it may only have momentums from before a fork.
 */
function createWitnesses(inputs: ChainCopyInputs, side: WhichHost): WitnessSources {
  const { references, tolerance, isChainUnverified, old } = inputs;
  // After a gate there is a momentum of the right chain, also if the node here does not answer.
  const log = inputs.again && inputs.log;
  if (side === "new") return { references, tolerance, isChainUnverified, witnessHost: old.node };
  return { references, tolerance, isChainUnverified: isChainUnverified === true || references.length === 0, log };
}
