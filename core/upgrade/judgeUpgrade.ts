import type { NodeStatus } from "../sync/nodeStatus";

/** Readings of the old (`before`) and new version (`node`). `waited`: milliseconds since the new RPC first answered. */
interface JudgeFacts {
  readonly before: Pick<NodeStatus, "synced" | "reason" | "currentHeight">;
  readonly node: Pick<NodeStatus, "synced" | "known" | "reason" | "why" | "currentHeight">;
  readonly hasSlots: boolean;
  /** Number of momentums that the new version has produced. */
  readonly produced: number;
  readonly waited: number;
  readonly limit: number;
}

/**
 * Judges a new version; undefined while undecided. Its height must have grown, on its witnesses' chain. If the Pillar
 * has slots, waits for a momentum of the node, but accepts the version without one at the timeout. A node without slots
 * that was not synced before only has to answer, and not from another chain.
 */
export function judgeUpgrade({ before, node, hasSlots, produced, waited, limit }: JudgeFacts) {
  if (node.reason === "otherChain") return { isGood: false, why: node.why };
  const wasGood = before.synced || before.reason === "oldVersion";
  const moves = (node.currentHeight ?? 0) > (before.currentHeight ?? 0);
  const isGood = node.known && (moves || !(wasGood || hasSlots)) && (node.synced || !wasGood);
  if (isGood && (produced > 0 || !hasSlots)) return { isGood, why: produced > 0 ? "the node produces" : node.why };
  if (waited < limit) return undefined;
  const seconds = Math.round(limit / 1000);
  if (isGood) return { isGood, why: `${node.why}; no momentum of the Pillar came within ${seconds} s` };
  return {
    isGood,
    why: `${moves ? "the node is not as good as the old version" : "the height has not grown"} after ${seconds} s: ${node.why}`,
  };
}
