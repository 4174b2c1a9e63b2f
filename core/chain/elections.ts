import { formatDuration } from "../util/timeText";

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
 * Returns a Pillar's chance to be elected for a tick: lower and upper bound, from 0 to 1. If there are more Pillars
 * than slots, half of the slots go to the top Pillars by weight (as many as slots), and half to any of the remaining
 * ones.
 */
export function computeElectionChance({ pillars, place }: PillarStanding, { tickMomentums: slots }: Network) {
  if (pillars <= slots) return { least: 1, most: 1 };
  const drawn = Math.floor(slots / 2);
  const least = drawn / (pillars - slots + drawn);
  const most = (slots - drawn) / slots + (drawn / slots) * least;
  if (place === undefined) return { least, most };
  return place <= slots * topRankShare ? { least: most, most } : { least, most: least };
}

/** Returns how many ticks in a row without a slot are less probable than {@link maxMissProbability} for a Pillar with this chance. */
export function computeMaxTicksWithoutSlot(chance: number): number {
  return chance >= 1
    ? leastTicks
    : Math.max(leastTicks, Math.ceil(Math.log(maxMissProbability) / Math.log(1 - chance)));
}

/** Formats a Pillar's rank and chance: `place 71 of 100 by weight, elected in 18 of 100 ticks of 5 min`. */
export function formatStanding(standing: PillarStanding | undefined, network: Network): string {
  if (standing === undefined) return "the number of Pillars is unknown";
  const { pillars, place } = standing;
  const { least, most } = computeElectionChance(standing, network);
  if (least === 1)
    return `one of ${pillars} Pillar${pillars === 1 ? "" : "s"}, all elected in each tick of ${formatDuration(computeTickMs(network))}`;
  const share = (chance: number) => Math.round(chance * 100);
  const shares = least === most ? share(least) : `${share(least)} to ${share(most)}`;
  const where =
    place === undefined
      ? `one of ${pillars} Pillars, its weight not counted yet`
      : `place ${place} of ${pillars} by weight`;
  return `${where}, elected in ${shares} of 100 ticks of ${formatDuration(computeTickMs(network))}`;
}
