import type { Observation } from "../chain/node.ts";
import { freshMomentumMs } from "../chain/reading.ts";
import type { VersionGap } from "../chain/requiredVersions.ts";
import type { Clock } from "../util/clock.ts";

/** Number of momentums by which a synced node may briefly be behind its target, while it adds one. */
const atTheTip = 2;

export interface SyncReason {
  readonly kind:
    | ("noAnswer" | "syncing" | "fewPeers" | "otherState" | "belowTarget" | "fresh" | "stale")
    /** The node does not return its newest momentum. */
    | "untold"
    /** It depends on whose clock is right, the host's or this machine's, whether the newest momentum is fresh. */
    | "clocksApart"
    | ("contradicted" | "otherChain" | "unwitnessed" | "oldVersion")
    /** The node does not return the momentum of a height, so it can't be compared with the references' chain. */
    | "chainUntold";
  readonly text: string;
  /** Set for `oldVersion`. */
  readonly gap?: VersionGap;
}

/**
 * Judges a single lookup. State 2 alone is not evidence: the target goes stale during a long sync. The height must have
 * reached the target, and the newest momentum must be fresh. A target of 0 or below the height says nothing
 * (docs/specification.md, 3; docs/chain.md, Node). `close`: synced except for the newest momentum or two, which are
 * arriving. `unproved`: the node says that it is synced, and other nodes must confirm it.
 */
export function judgeObservation(observation: Observation, clock: number) {
  const verdict = (says: "synced" | "close" | "unproved" | "no", kind: SyncReason["kind"], text: string) => {
    const why: SyncReason = { kind, text };
    return { says, why };
  };
  if (observation.kind === "none") return verdict("no", "noAnswer", observation.reason);
  const { info, newest, peers, nodeTime } = observation;
  const { state, currentHeight, targetHeight } = info;
  if (state === 1) return verdict("no", "syncing", "syncing");
  if (state === 3) {
    const count = peers === undefined ? "" : ` (${peers})`;
    return verdict("no", "fewPeers", `not enough peers${count}: is 35995/tcp and udp open to the world?`);
  }
  if (state !== 2) return verdict("no", "otherState", `sync state ${state}`);
  const missing = targetHeight - currentHeight;
  if (missing > 0)
    return verdict(missing <= atTheTip ? "close" : "no", "belowTarget", "the node says synced, below its own target");
  if (!newest) return verdict("no", "untold", "the node says synced, and does not return its newest momentum");
  const age = nodeTime - newest.timestamp;
  const isFreshHere = isFresh(clock - newest.timestamp);
  if (isFresh(age) && isFreshHere)
    return verdict("synced", "fresh", `synced, newest momentum ${formatSeconds(age)} old`);
  if (!isFresh(age) && !isFreshHere)
    return verdict("no", "stale", `the node says synced, but its newest momentum is ${formatSeconds(age)} old`);
  const apart = formatSeconds(Math.abs(nodeTime - clock));
  const text = `the node says synced; the clocks of the host and of this machine are ${apart} apart, so only references can confirm it`;
  return verdict("unproved", "clocksApart", text);
}

/** True if the node says that it is synced, although other nodes may have to confirm it. */
export const claimsSynced = (observation: Observation, clock: number): boolean =>
  ["synced", "unproved"].includes(judgeObservation(observation, clock).says);

/**
 * True if a lookup may have met a synced node that is adding a momentum. Real nodes said "syncing" for milliseconds, at
 * one of fifty momentums. This is no evidence for a sync, but none against an earlier proof either.
 */
export function isAddingMomentum(observation: Observation, clock: number): boolean {
  if (observation.kind === "none") return false;
  const { state, currentHeight, targetHeight } = observation.info;
  if (state === 1) return targetHeight > 0 && targetHeight - currentHeight <= atTheTip;
  return judgeObservation(observation, clock).says === "close";
}

/** Milliseconds between the lookups of {@link observeStable}. */
const pause = 1500;
const looks = 3;

/** Observes a node for a decision that is made at once: repeats the lookup while the node may be adding a momentum. */
export async function observeStable(
  observe: () => Promise<Observation>,
  { now, sleep }: Pick<Clock, "now" | "sleep">,
): Promise<Observation> {
  let isReconnected = false;
  for (let left = looks; ; left -= 1) {
    const observation = await observe();
    isReconnected ||= observation.kind === "answer" && observation.isReconnected === true;
    if (left === 1 || !isAddingMomentum(observation, now()))
      return observation.kind === "answer" && isReconnected ? { ...observation, isReconnected } : observation;
    await sleep(pause);
  }
}

const formatSeconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;
const isFresh = (age: number) => Math.abs(age) <= freshMomentumMs;
