import type { ChainClient } from "../../../core/chain/chain";
import type { NodeTarget } from "../../../core/chain/node";
import { nodeVersion } from "../../../core/chain/nodeVersion";
import { type Spork, type UnknownSpork, unknownSporks } from "../../../core/chain/sporks";
import type { Connection } from "../../../core/ssh/connection";

export interface SporksPart {
  /** The node's; absent where it does not tell. */
  readonly version?: string;
  readonly unknown: readonly UnknownSpork[];
}

/** Asks the node for its version, and whoever answers first in this order for the sporks. @throws where nobody tells */
export async function readSporks(
  clients: readonly ChainClient[],
  node: NodeTarget,
  connection: Connection,
): Promise<SporksPart> {
  const [version, sporks] = await Promise.all([
    nodeVersion(node, connection).catch(() => undefined),
    readFirstAnswer(clients),
  ]);
  return { version, unknown: unknownSporks(sporks, version) };
}

/** A node that ended for want of a spork can't tell of it: the references can. */
async function readFirstAnswer(clients: readonly ChainClient[]): Promise<readonly Spork[]> {
  let reason: unknown = new Error("nobody is asked: the node is off, and no reference is configured");
  for (const client of clients) {
    try {
      return await client.sporks();
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}
