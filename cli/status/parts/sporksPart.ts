import type { ChainClient } from "../../../core/chain/chain";
import type { NodeTarget } from "../../../core/chain/node";
import { readNodeVersion } from "../../../core/chain/nodeVersion";
import { findUnknownSporks, type Spork, type UnknownSpork } from "../../../core/chain/sporks";
import type { Connection } from "../../../core/ssh/connection";

export interface SporksPart {
  readonly version?: string;
  readonly unknown: readonly UnknownSpork[];
}

/** Reads the node's version, and the sporks from the first client that answers. @throws if none answers */
export async function readSporks(
  clients: readonly ChainClient[],
  node: NodeTarget,
  connection: Connection,
): Promise<SporksPart> {
  const [version, sporks] = await Promise.all([
    readNodeVersion(node, connection).catch(() => undefined),
    readFirstAnswer(clients),
  ]);
  return { version, unknown: findUnknownSporks(sporks, version) };
}

/** Tries the references, too: a node that stopped because it lacks a spork can't answer. */
async function readFirstAnswer(clients: readonly ChainClient[]): Promise<readonly Spork[]> {
  let reason: unknown = new Error("the node is off, and no reference is configured");
  for (const client of clients) {
    try {
      return await client.sporks();
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}
