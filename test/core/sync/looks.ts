import type { Observation } from "../../../core/chain/node.ts";

export const hour = 3_600_000;
/** The node's time in every look that does not say another. */
export const nodeTime = Date.UTC(2026, 0, 2);

interface Look {
  readonly newestAge?: number;
  readonly peers?: number;
}

/** Returns an answer of the node. `newestAge` is the age of its newest momentum in ms, or unknown. */
export function answer(state: number, currentHeight: number, targetHeight: number, look: Look = {}): Observation {
  const { newestAge, peers } = look;
  const newest =
    newestAge === undefined ? undefined : { height: currentHeight, timestamp: nodeTime - newestAge, hash: "ab" };
  return { kind: "answer", info: { state, currentHeight, targetHeight }, newest, peers, nodeTime };
}

export const none = (reason = "connect ECONNREFUSED"): Observation => ({ kind: "none", reason });
