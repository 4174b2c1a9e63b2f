import type { Observation } from "../chain/node";
import { freshMomentumMs } from "../chain/reading";
import type { VersionGap } from "../chain/requiredVersions";
import type { Fork } from "./references";

/** Momentums that a synced node may lag behind its target for a moment while it adds a momentum. */
const atTheTip = 2;

/** The reason for a verdict. Times in milliseconds. */
export type SyncReason =
  | { readonly kind: "noAnswer"; readonly reason: string }
  | { readonly kind: "syncing" }
  | { readonly kind: "fewPeers"; readonly peers?: number | undefined }
  | { readonly kind: "otherState"; readonly state: number }
  | { readonly kind: "belowTarget" }
  | { readonly kind: "fresh" | "stale"; readonly age: number }
  /** The host's and this machine's clocks differ, and it depends on the clock whether the momentum is fresh. */
  | { readonly kind: "clocksApart"; readonly apart: number }
  /** The height equals the target, and the node does not return its newest momentum. */
  | { readonly kind: "atTarget" }
  /** The node says synced, and nothing else that it returns supports it. */
  | { readonly kind: "untold"; readonly target: number }
  | { readonly kind: "contradicted"; readonly height: number; readonly median: number | undefined }
  | ({ readonly kind: "otherChain" } & Fork)
  /** The node does not return the momentum of this height, so it can't be compared with the references' chain. */
  | { readonly kind: "chainUntold"; readonly height: number }
  | { readonly kind: "unwitnessed" }
  | { readonly kind: "oldVersion"; readonly gap: VersionGap }
  /** Only a target that advances would prove the sync. */
  | { readonly kind: "targetStands" }
  /** Only the references support the node's answer. */
  | { readonly kind: "bornOut" };

interface SyncVerdict {
  /**
   * `close`: synced except for a momentum or two, as whenever one arrives. `unproved`: the node says that it is synced,
   * and other nodes must confirm it.
   */
  readonly says: "synced" | "close" | "unproved" | "no";
  readonly why: SyncReason;
}

/**
 * Judges a single lookup. State 2 alone is not evidence: the target goes stale during a long sync. The height must have
 * reached the target, and the newest momentum must be fresh if the node returns it. A target of 0 or below the height
 * says nothing: then only a fresh momentum counts (docs/specification.md, 3; docs/chain.md, Node).
 */
export function judgeObservation(observation: Observation, clock: number): SyncVerdict {
  if (observation.kind === "none") return { says: "no", why: { kind: "noAnswer", reason: observation.reason } };
  const { info, newest, peers, nodeTime } = observation;
  const { state, currentHeight, targetHeight } = info;
  if (state === 1) return { says: "no", why: { kind: "syncing" } };
  if (state === 3) return { says: "no", why: { kind: "fewPeers", peers } };
  if (state !== 2) return { says: "no", why: { kind: "otherState", state } };
  const missing = targetHeight - currentHeight;
  if (missing > 0) return { says: missing <= atTheTip ? "close" : "no", why: { kind: "belowTarget" } };
  if (newest) {
    const age = nodeTime - newest.timestamp;
    if (isFresh(age) && isFresh(clock - nodeTime)) return { says: "synced", why: { kind: "fresh", age } };
    if (isFresh(age) || isFresh(clock - newest.timestamp))
      return { says: "unproved", why: { kind: "clocksApart", apart: Math.abs(nodeTime - clock) } };
    return { says: "no", why: { kind: "stale", age } };
  }
  if (missing === 0 && targetHeight > 0) return { says: "synced", why: { kind: "atTarget" } };
  return { says: "unproved", why: { kind: "untold", target: targetHeight } };
}

/**
 * True if a node that says "syncing" may be adding a momentum. Real nodes said so for milliseconds, at one of fifty
 * momentums. This is no evidence for a sync, but none against an earlier proof either.
 */
export function mayBeAddingMomentum(observation: Observation): boolean {
  if (observation.kind === "none") return false;
  const { state, currentHeight, targetHeight } = observation.info;
  return state === 1 && targetHeight > 0 && targetHeight - currentHeight <= atTheTip;
}

/** True if a lookup may have met a synced node that is adding a momentum. The next lookup decides. */
export function isAddingMomentum(observation: Observation, clock: number): boolean {
  return mayBeAddingMomentum(observation) || judgeObservation(observation, clock).says === "close";
}

/** True if the node says that it is synced, so that other nodes are worth asking. */
export function claimsSynced({ says }: SyncVerdict): boolean {
  return says === "synced" || says === "unproved";
}

function isFresh(age: number): boolean {
  return Math.abs(age) <= freshMomentumMs;
}
