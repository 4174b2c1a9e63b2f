import { openNodeChain } from "../chain/chain";
import { createNodeClient, type NodeTarget } from "../chain/node";
import { readVersionGaps } from "../chain/nodeVersion";
import { type Connection, createConnection } from "../ssh/connection";
import { systemClock } from "../util/clock";
import { withTimeout } from "../util/withTimeout";
import type { WitnessSources } from "./chainSources";
import { chainGap, decideSynced, noEvidence, refuseOldVersion } from "./decideSynced";
import { claimsSynced, judgeObservation, observeStable, type SyncReason } from "./judgeObservation";
import { openWitnesses } from "./witnesses";

export interface NodeStatus {
  readonly synced: boolean;
  readonly why: string;
  /** Absent if no lookup succeeded. */
  readonly reason?: SyncReason["kind"];
  /** True if the node answered. */
  readonly known: boolean;
  readonly state?: number;
  readonly currentHeight?: number;
  readonly targetHeight?: number;
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
  const client = createNodeClient(target, way);
  const witnesses = openWitnesses(options, target);
  try {
    const look = async (): Promise<NodeStatus> => {
      const observation = await observeStable(() => client.observe(), systemClock);
      const verdict = judgeObservation(observation, Date.now());
      if (observation.kind === "none") return { synced: false, why: verdict.why.text, known: false };
      const { newest } = observation;
      const own = newest && { newest, client: openNodeChain("the node", target, way) };
      const seen = claimsSynced(verdict) ? await witnesses.read(own, referenceTime) : { readings: [] };
      const weighed = decideSynced(
        noEvidence,
        { observation, ...seen, at: 0, clock: Date.now() },
        { ...options, confirmations: 1, confirmSpan: 0 },
      );
      const gaps = weighed.good ? await readVersionGaps(target, observation.info.currentHeight, way) : [];
      const { good, why, unproved } = refuseOldVersion(weighed, gaps);
      const gap = unproved.includes(chainGap) ? `; not proved: ${chainGap}` : "";
      return { synced: good, why: `${why.text}${gap}`, reason: why.kind, known: true, ...observation.info };
    };
    if (target.via === "ssh") await way.session();
    return await withTimeout(look(), deadline, `no answer within ${deadline / 1000} s`);
  } catch (error) {
    return { synced: false, known: false, why: error instanceof Error ? error.message : String(error) };
  } finally {
    witnesses.close();
    if (connection === undefined) client.close();
  }
}
