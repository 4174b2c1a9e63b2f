import type { Observation } from "../rpc/node";

/** How old the newest momentum may be, in milliseconds: one comes every 10 s (chain-facts, Node). */
export const freshMomentum = 120_000;

/** What one look says about the question "is it synced?", and why, in the operator's words. */
export interface Verdict {
  readonly synced: boolean;
  readonly why: string;
}

/**
 * Judges a single look (pure). State 2 alone is not evidence: during a long sync the target goes stale, so the height
 * must have reached it, and the newest momentum must be fresh where the node tells. A target of 0 or below the height
 * says nothing; then only the fresh momentum counts (specification 3 and 4.1; chain-facts, Node).
 */
export function judge(observation: Observation): Verdict {
  if (observation.kind === "none") return { synced: false, why: observation.reason };
  const { info, newest, peers, nodeTime } = observation;
  const { state, currentHeight, targetHeight } = info;
  if (state === 1) return { synced: false, why: "syncing" };
  if (state === 3) {
    const count = peers === undefined ? "" : ` (${peers})`;
    return { synced: false, why: `not enough peers${count}: is 35995/tcp and udp open to the world?` };
  }
  if (state !== 2) return { synced: false, why: `sync state ${state}` };
  if (currentHeight < targetHeight) return { synced: false, why: "the node says synced, below its own target" };
  const age = newest === undefined ? undefined : nodeTime - newest.timestamp;
  if (age !== undefined && Math.abs(age) > freshMomentum) {
    return { synced: false, why: `the node says synced, but its newest momentum is ${Math.round(age / 1000)} s old` };
  }
  if (age !== undefined) return { synced: true, why: `synced, newest momentum ${Math.round(age / 1000)} s old` };
  if (currentHeight === targetHeight && targetHeight > 0) return { synced: true, why: "synced, height equals target" };
  return {
    synced: false,
    why: `the node says synced with a target of ${targetHeight}, and does not tell its newest momentum`,
  };
}
