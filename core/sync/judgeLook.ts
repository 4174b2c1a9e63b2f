import { freshMomentum } from "../chain/freshMomentum";
import type { Observation } from "../chain/node";
import type { VersionGap } from "../chain/requiredVersions";
import type { Fork } from "./references";

/** A node that takes a momentum in shows a target that its height has not reached for a moment. */
const atTheTip = 2;

/** Why a look says what it says. Times in milliseconds. */
export type SyncReason =
  | { readonly kind: "noAnswer"; readonly reason: string }
  | { readonly kind: "syncing" }
  | { readonly kind: "fewPeers"; readonly peers?: number | undefined }
  | { readonly kind: "otherState"; readonly state: number }
  | { readonly kind: "belowTarget" }
  /** Its newest momentum is fresh, or not. */
  | { readonly kind: "fresh" | "stale"; readonly age: number }
  /** Which of two clocks is right decides what is fresh. */
  | { readonly kind: "clocksApart"; readonly apart: number }
  /** The height is the target, and the newest momentum is not told. */
  | { readonly kind: "atTarget" }
  /** Nothing that it tells bears its word out. */
  | { readonly kind: "untold"; readonly target: number }
  /** By the references. */
  | { readonly kind: "contradicted"; readonly height: number; readonly median: number | undefined }
  /** By the references' hashes of a height. */
  | ({ readonly kind: "otherChain" } & Fork)
  /** The momentum of this height, which would tell whether it is on the references' chain, the node does not show. */
  | { readonly kind: "chainUntold"; readonly height: number }
  /** No witness confirms its chain now: none answers, or none can be compared with it. */
  | { readonly kind: "unwitnessed" }
  /** Its version is not the one that is required at its height. */
  | { readonly kind: "oldVersion"; readonly gap: VersionGap }
  /** Nothing but a target that moves on would prove it. */
  | { readonly kind: "targetStands" }
  /** By the references, as nothing else does. */
  | { readonly kind: "bornOut" };

/** What one look says about the question "is it synced?", and why. */
export interface SyncVerdict {
  /**
   * `close`: synced but for a momentum or two, as at the arrival of each. `unproved`: the node says that it is, and
   * nothing that it tells bears it out; others must.
   */
  readonly says: "synced" | "close" | "unproved" | "no";
  readonly why: SyncReason;
}

/**
 * Judges a single look. State 2 alone is not evidence: during a long sync the target goes stale, so the height
 * must have reached it, and the newest momentum must be fresh where the node tells. A target of 0 or below the height
 * says nothing; then only the fresh momentum counts (docs/specification.md, 3; docs/chain.md, Node).
 *
 * @param clock unix milliseconds of this machine
 */
export function judgeLook(observation: Observation, clock: number): SyncVerdict {
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
 * True if a node that says "syncing" may be synced and be adding a momentum: real ones said so for
 * milliseconds, at one of fifty momentums. No evidence for a sync, but no word against the one that was proved either.
 */
export function mayBeAddingMomentum(observation: Observation): boolean {
  if (observation.kind === "none") return false;
  const { state, currentHeight, targetHeight } = observation.info;
  return state === 1 && targetHeight > 0 && targetHeight - currentHeight <= atTheTip;
}

/**
 * True if a look may have met a synced node that is adding a momentum: the next look tells.
 *
 * @param clock unix milliseconds of this machine
 */
export function isAddingMomentum(observation: Observation, clock: number): boolean {
  return mayBeAddingMomentum(observation) || judgeLook(observation, clock).says === "close";
}

/** True if the node says that it is synced, so that others are worth asking. */
export function claimsSynced({ says }: SyncVerdict): boolean {
  return says === "synced" || says === "unproved";
}

function isFresh(age: number): boolean {
  return Math.abs(age) <= freshMomentum;
}
