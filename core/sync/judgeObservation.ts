import type { Observation } from "../chain/node";
import { freshMomentumMs } from "../chain/reading";
import type { VersionGap } from "../chain/requiredVersions";

/** Number of momentums by which a synced node may briefly be behind its target, while it adds one. */
const atTheTip = 2;

/** The reason for a verdict. */
export interface SyncReason {
  readonly kind:
    | ("noAnswer" | "syncing" | "fewPeers" | "otherState" | "belowTarget" | "fresh" | "stale")
    /** The host's and this machine's clocks differ, and it depends on the clock whether the momentum is fresh. */
    | "clocksApart"
    /** The height equals the target, and the node does not return its newest momentum. */
    | "atTarget"
    /** The node says synced, and nothing else that it returns supports it. */
    | "untold"
    | ("contradicted" | "otherChain" | "unwitnessed" | "oldVersion")
    /** The node does not return the momentum of this height, so it can't be compared with the references' chain. */
    | "chainUntold"
    /** Only a target that advances would prove the sync. */
    | "targetStands"
    /** Only the references support the node's answer. */
    | "bornOut";
  readonly text: string;
  /** Set for `fewPeers`. */
  readonly peers?: number | undefined;
  /** Set for `oldVersion`. */
  readonly gap?: VersionGap;
}

interface SyncVerdict {
  /**
   * `close`: synced except for the newest momentum or two, which are arriving. `unproved`: the node says that it is synced,
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
  const verdict = (says: SyncVerdict["says"], kind: SyncReason["kind"], text: string) => ({
    says,
    why: { kind, text },
  });
  if (observation.kind === "none") return verdict("no", "noAnswer", observation.reason);
  const { info, newest, peers, nodeTime } = observation;
  const { state, currentHeight, targetHeight } = info;
  if (state === 1) return verdict("no", "syncing", "syncing");
  if (state === 3) {
    const text = `not enough peers${peers === undefined ? "" : ` (${peers})`}: is 35995/tcp and udp open to the world?`;
    return { says: "no", why: { kind: "fewPeers", text, peers } };
  }
  if (state !== 2) return verdict("no", "otherState", `sync state ${state}`);
  const missing = targetHeight - currentHeight;
  if (missing > 0)
    return verdict(missing <= atTheTip ? "close" : "no", "belowTarget", "the node says synced, below its own target");
  if (newest) {
    const age = nodeTime - newest.timestamp;
    if (isFresh(age) && isFresh(clock - nodeTime))
      return verdict("synced", "fresh", `synced, newest momentum ${formatSeconds(age)} old`);
    if (!isFresh(age) && !isFresh(clock - newest.timestamp))
      return verdict("no", "stale", `the node says synced, but its newest momentum is ${formatSeconds(age)} old`);
    const apart = formatSeconds(Math.abs(nodeTime - clock));
    const text = `the clocks of the host and of this machine are ${apart} apart, and no references decide whether the newest momentum is fresh`;
    return verdict("unproved", "clocksApart", text);
  }
  if (missing === 0 && targetHeight > 0) return verdict("synced", "atTarget", "synced, height equals target");
  const text = `the node says synced with a target of ${targetHeight}, and does not return its newest momentum`;
  return verdict("unproved", "untold", text);
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

const formatSeconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;

function isFresh(age: number): boolean {
  return Math.abs(age) <= freshMomentumMs;
}
