/**
 * Measured on the main network: 11.35 to 11.46 s from one momentum to the next, because some slots stay empty. Only for
 * times that an operator reads: slots and ticks themselves take 10 s per slot (docs/chain.md, Chain).
 */
export const networkPaceMs = 11_400;

/** `momentum`: milliseconds from one slot to the next. */
export type Network = Readonly<Record<"momentum" | "tickMomentums", number>>;

/** A Pillar's rank by delegated weight, from 1 on. `place` is absent while the node has not counted the weights. */
export type PillarStanding = Readonly<{ pillars: number; place?: number }>;

/** If a gap between slots is less probable than this, a Pillar's bad luck does not explain it. */
const maxMissProbability = 1e-4;
/** A node that restarts misses slots: never judge it by fewer ticks. */
const leastTicks = 4;
/** A Pillar surely stays in the top ranks, although weights change, only if it is in this upper share of them. */
const topRankShare = 5 / 6;

export function computeTickMs({ momentum, tickMomentums }: Network): number {
  return momentum * tickMomentums;
}

/**
 * Returns a Pillar's chance to be elected for a tick, at most. If there are more Pillars than slots, half of the slots
 * go to the top Pillars by weight (as many as slots), and half to any of the remaining ones.
 */
export function computeElectionChance({ pillars, place }: PillarStanding, { tickMomentums: slots }: Network): number {
  if (pillars <= slots) return 1;
  const drawn = Math.floor(slots / 2);
  const rest = drawn / (pillars - slots + drawn);
  const top = (slots - drawn) / slots + (drawn / slots) * rest;
  return place === undefined || place <= slots * topRankShare ? top : rest;
}

/** Returns how many ticks in a row without a slot are less probable than {@link maxMissProbability} for a Pillar with this chance. */
export function computeMaxTicksWithoutSlot(chance: number): number {
  return chance >= 1
    ? leastTicks
    : Math.max(leastTicks, Math.ceil(Math.log(maxMissProbability) / Math.log(1 - chance)));
}
