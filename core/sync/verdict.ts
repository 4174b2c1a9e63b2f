import { freshMomentum } from "../chain/freshMomentum";
import type { Observation } from "../chain/node";

/** A node that takes a momentum in shows a target that its height has not reached for a moment. */
const atTheTip = 2;

/** What one look says about the question "is it synced?", and why, in the operator's words. */
export interface SyncVerdict {
  /**
   * `close`: synced but for a momentum or two, as at the arrival of each. `unproved`: the node says that it is, and
   * nothing that it tells bears it out; others must.
   */
  readonly says: "synced" | "close" | "unproved" | "no";
  readonly why: string;
}

/**
 * Judges a single look (pure). State 2 alone is not evidence: during a long sync the target goes stale, so the height
 * must have reached it, and the newest momentum must be fresh where the node tells. A target of 0 or below the height
 * says nothing; then only the fresh momentum counts (docs/specification.md, 3; docs/chain.md, Node).
 *
 * @param clock unix milliseconds of this machine
 */
export function judgeSync(observation: Observation, clock: number): SyncVerdict {
  if (observation.kind === "none") return { says: "no", why: observation.reason };
  const { info, newest, peers, nodeTime } = observation;
  const { state, currentHeight, targetHeight } = info;
  if (state === 1) return { says: "no", why: "syncing" };
  if (state === 3) {
    const count = peers === undefined ? "" : ` (${peers})`;
    return { says: "no", why: `not enough peers${count}: is 35995/tcp and udp open to the world?` };
  }
  if (state !== 2) return { says: "no", why: `sync state ${state}` };
  const missing = targetHeight - currentHeight;
  if (missing > 0)
    return { says: missing <= atTheTip ? "close" : "no", why: "the node says synced, below its own target" };
  if (newest) {
    const age = nodeTime - newest.timestamp;
    if (isFresh(age) && isFresh(clock - nodeTime))
      return { says: "synced", why: `synced, newest momentum ${Math.round(age / 1000)} s old` };
    if (isFresh(age) || isFresh(clock - newest.timestamp)) {
      const apart = Math.round(Math.abs(nodeTime - clock) / 1000);
      const why = `the host's clock and this machine's are ${apart} s apart, and no references settle what is fresh`;
      return { says: "unproved", why };
    }
    return { says: "no", why: `the node says synced, but its newest momentum is ${Math.round(age / 1000)} s old` };
  }
  if (missing === 0 && targetHeight > 0) return { says: "synced", why: "synced, height equals target" };
  const why = `the node says synced with a target of ${targetHeight}, and does not tell its newest momentum`;
  return { says: "unproved", why };
}

/**
 * Whether a node that says "syncing" may be one that is synced and takes a momentum in (pure): real ones said so for
 * milliseconds, at one of fifty momentums. No evidence for a sync, but no word against the one that was proved either.
 */
export function mayTakeIn(observation: Observation): boolean {
  if (observation.kind === "none") return false;
  const { state, currentHeight, targetHeight } = observation.info;
  return state === 1 && targetHeight > 0 && targetHeight - currentHeight <= atTheTip;
}

/** The node says that it is synced: now others are worth asking (pure). */
export function isAsserted({ says }: SyncVerdict): boolean {
  return says === "synced" || says === "unproved";
}

function isFresh(age: number): boolean {
  return Math.abs(age) <= freshMomentum;
}
