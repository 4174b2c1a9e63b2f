import { computeTickMs, type Network } from "../chain/elections.ts";
import { formatRequirement, type VersionGap } from "../chain/requiredVersions.ts";
import { findUnknownSporks, type Spork } from "../chain/sporks.ts";
import type { NodeStatus } from "../sync/nodeStatus.ts";
import { formatDuration } from "../util/timeText.ts";

/** Facts about the running tick. Times in unix milliseconds, by the node's clock. */
export interface TickFacts {
  readonly now: number;
  readonly genesis: number;
  readonly pillars: number;
  /** Times of this host's latest momentums. */
  readonly produced: readonly number[];
}

/**
 * Returns the time until which the Pillar surely has no slot; `now` if one may come at any moment. Nodes don't report
 * the schedule, but a Pillar gets at most its share of a tick's slots, rounded up. Once it has produced that many, no
 * slot comes before the tick ends.
 */
export function findFreeUntil({ now, genesis, pillars, produced }: TickFacts, network: Network): number {
  const tick = computeTickMs(network);
  const start = genesis + Math.floor((now - genesis) / tick) * tick;
  const most = Math.ceil(network.tickMomentums / Math.max(1, Math.min(pillars, network.tickMomentums)));
  return produced.filter((at) => at >= start && at <= now).length >= most ? start + tick : now;
}

/** The longest wait for a time without a slot: two ticks of the main network. */
export const slotTimeoutMs = 600_000;

/** Returns the milliseconds without a slot if they suffice for a restart; else `wait`, or `now` after the timeout. */
export function decideMoment(facts: TickFacts, network: Network, needed: number, waited: number) {
  const free = findFreeUntil(facts, network) - facts.now;
  if (free >= needed) return free;
  return waited >= Math.min(slotTimeoutMs, 2 * computeTickMs(network)) ? "now" : "wait";
}

/** Time for a new version with enough peers to grow, and to produce its first momentum. */
export const judgeTimeoutMs = 40_000;
/**
 * Time for a living process to answer and to find its peers, without which nothing is known of the version. A node needs
 * eight peers (go-zenon: p2p/config.go), and opens its RPC only after its databases.
 */
export const undecidedTimeoutMs = 600_000;

/** Readings of the old (`before`) and new version (`node`). */
interface JudgeFacts {
  readonly before: Pick<NodeStatus, "synced" | "reason" | "currentHeight">;
  readonly node: Pick<NodeStatus, "synced" | "known" | "reason" | "why" | "currentHeight">;
  readonly hasSlots: boolean;
  /** Number of momentums that the new version has produced. */
  readonly produced: number;
  /** Milliseconds since the new RPC first answered. */
  readonly waited: number;
  /** Milliseconds since the last reading without an answer or without enough peers. */
  readonly connected: number;
}

/** True if a reading says nothing about the version: no answer, or not enough peers yet. */
export function isUndecided({ known, reason }: Pick<NodeStatus, "known" | "reason">): boolean {
  return !known || reason === "fewPeers";
}

/**
 * Judges a new version; undefined while undecided. Its height must have grown, on its witnesses' chain. If the Pillar
 * has slots, waits for a momentum of the node, but accepts the version without one at the timeout. A node without slots
 * that was not synced before only has to answer, and not from another chain.
 */
export function judgeUpgrade({ before, node, hasSlots, produced, waited, connected }: JudgeFacts) {
  if (node.reason === "otherChain") return { isGood: false, why: node.why };
  const wasGood = before.synced || before.reason === "oldVersion";
  const moves = (node.currentHeight ?? 0) > (before.currentHeight ?? 0);
  const isGood = node.known && (moves || !(wasGood || hasSlots)) && (node.synced || !wasGood);
  if (isGood && (produced > 0 || !hasSlots)) return { isGood, why: produced > 0 ? "the node produces" : node.why };
  const isOpen = isUndecided(node);
  if (isOpen ? waited < undecidedTimeoutMs : connected < judgeTimeoutMs) return undefined;
  const time = formatDuration(isOpen ? undecidedTimeoutMs : judgeTimeoutMs);
  if (isGood) return { isGood, why: `${node.why}; no momentum of the Pillar came within ${time}` };
  const fault = moves || isOpen ? "the node is not as good as the old version" : "the height has not grown";
  return { isGood, why: `${fault} after ${time}: ${node.why}` };
}

interface ForkFacts {
  readonly before: string | undefined;
  readonly height: number;
  /** Requirements at this height that the old version does not meet. */
  readonly gaps: readonly VersionGap[];
  readonly sporks: readonly Spork[];
  /** True if the old version is synced, which proves that it has each spork enforced up to its height. */
  readonly isSynced: boolean;
}

/** Returns why the old version must not be restored automatically: it would follow another chain. Else undefined. */
export function findRollbackFault({ before, height, gaps: [due], sporks, isSynced }: ForkFacts): string | undefined {
  if (due) return formatRequirement(due);
  const lacked = findUnknownSporks(sporks, before).find(
    ({ enforcedFrom, isSure }) => enforcedFrom !== undefined && (isSure || enforcedFrom > height || !isSynced),
  );
  return (
    lacked && `the spork ${lacked.id.slice(0, 8)}… is active, and ${before ?? "the version before"} may not know it`
  );
}
