import type { NodeTarget, SyncInfo } from "../chain/node.ts";
import { type Connection, createConnection } from "../ssh/connection.ts";
import { withTimeout } from "../util/withTimeout.ts";
import { chainGap, decideLookup, noEvidence } from "./decideSynced.ts";
import { observeStable, type SyncReason } from "./judgeObservation.ts";
import type { WitnessSources } from "./judgeWitnesses.ts";
import { openNodeReader } from "./nodeReader.ts";

export interface NodeStatus extends Partial<SyncInfo> {
  readonly synced: boolean;
  readonly why: string;
  /** Absent if no lookup succeeded. */
  readonly reason?: SyncReason["kind"];
  /** True if the node answered. */
  readonly known: boolean;
}

const deadline = 20_000;
const referenceTime = 5000;
const fresh = 30_000;

/**
 * Starts a lookup while the engine is busy. Returns a function that gives the result while it is recent, else looks anew.
 */
export function prefetch<T>(look: () => Promise<T>, now: () => number = Date.now): () => Promise<T> {
  const begun = now();
  const early = look();
  return () => (now() - begun < fresh ? early : look());
}

/**
 * Reads a node's state, also in a preview. Returns a problem instead of throwing. Leaves a given `connection` open.
 */
export async function readNodeStatus(
  target: NodeTarget,
  options: WitnessSources,
  connection?: Connection,
): Promise<NodeStatus> {
  const way = connection ?? createConnection(target.ssh);
  const { client, closeWitnesses, ...deps } = openNodeReader(target, options, way);
  try {
    const look = async (): Promise<NodeStatus> => {
      const observation = await observeStable(() => client.observe(), deps);
      const { good, why, isUnwitnessed } = await decideLookup(
        observation,
        noEvidence,
        { ...options, confirmations: 1, confirmSpan: 0 },
        { ...deps, readWitnesses: (newest) => deps.readWitnesses(newest, referenceTime) },
      );
      if (observation.kind === "none") return { synced: false, why: why.text, known: false };
      const gap = isUnwitnessed ? `; not proved: ${chainGap}` : "";
      return { synced: good, why: `${why.text}${gap}`, reason: why.kind, known: true, ...observation.info };
    };
    if (target.via === "ssh") await way.session();
    return await withTimeout(look(), deadline);
  } catch (error) {
    return { synced: false, known: false, why: error instanceof Error ? error.message : String(error) };
  } finally {
    closeWitnesses();
    if (connection === undefined) client.close();
  }
}
