import { durationText } from "../util/timeText";

/** A chain's own measures of its elections. */
export interface Network {
  /** Milliseconds from one slot to the next. */
  readonly momentum: number;
  /** Slots of a tick. */
  readonly tickMomentums: number;
}

/** Where a Pillar stands among all; without a place where nobody has counted the weights yet. */
export interface PillarStanding {
  readonly pillars: number;
  /** By delegated weight, from 1 on. */
  readonly place?: number;
}

/** Its chance to be in a tick, from 0 to 1: at least and at most. */
export interface Chance {
  readonly least: number;
  readonly most: number;
}

/** What happens to fewer healthy Pillars than this is no chance any more. */
const rare = 1e-4;
/** A restart costs slots, too: so many ticks are never too few. */
const leastTicks = 4;
/** Weights change: who is this close to the last of the first is none of them. */
const surelyFirst = 5 / 6;

/** Milliseconds of a tick. */
export function tickOf({ momentum, tickMomentums }: Network): number {
  return momentum * tickMomentums;
}

/**
 * Returns a Pillar's chance to be elected for a tick. Up to as many Pillars as slots all are; of more, half of the slots
 * are drawn of the first by weight, as many as there are slots, and half of all that are left.
 */
export function chanceOf({ pillars, place }: PillarStanding, { tickMomentums: slots }: Network): Chance {
  if (pillars <= slots) return { least: 1, most: 1 };
  const drawn = Math.floor(slots / 2);
  const least = drawn / (pillars - slots + drawn);
  const most = (slots - drawn) / slots + (drawn / slots) * least;
  if (place === undefined) return { least, most };
  return place <= slots * surelyFirst ? { least: most, most } : { least, most: least };
}

/** So many ticks in a row without a slot are rarer than {@link rare}, whoever is elected with at least such a chance. */
export function patienceTicks(chance: number): number {
  return chance >= 1 ? leastTicks : Math.max(leastTicks, ticksUntil(1 - rare, chance));
}

/** Ticks within which a slot comes in half of the cases. */
export function usualTicks(chance: number): number {
  return chance >= 1 ? 1 : ticksUntil(0.5, chance);
}

const ticksUntil = (sure: number, chance: number) => Math.ceil(Math.log(1 - sure) / Math.log(1 - chance));

/** The wallet's block is in the next momentum, the contract's in the one after it; nodes show an update before both. */
const confirmation = 2;

/**
 * From when on, at the latest, slots are those of an address that was seen registered: what is in the chain in one tick
 * counts from the next but one on. Times in unix milliseconds.
 *
 * @param genesis of the chain, where it is known: its ticks begin there
 */
export function electedFrom(seenAt: number, genesis: number | undefined, network: Network): number {
  const tick = tickOf(network);
  const inChain = seenAt + confirmation * network.momentum;
  const begun = genesis === undefined ? inChain : genesis + Math.floor((inChain - genesis) / tick) * tick;
  return begun + 2 * tick;
}

/** `place 71 of 100 by weight, elected for 18 of 100 ticks`, to stand behind a Pillar's name. */
export function standingText(standing: PillarStanding | undefined, network: Network): string {
  if (standing === undefined) return "how many Pillars there are can't be told";
  const { pillars, place } = standing;
  const { least, most } = chanceOf(standing, network);
  if (least === 1)
    return `one of ${pillars} Pillar${pillars === 1 ? "" : "s"}, all of them in every tick of ${durationText(tickOf(network))}`;
  const share = (chance: number) => Math.round(chance * 100);
  const shares = least === most ? share(least) : `${share(least)} to ${share(most)}`;
  const where =
    place === undefined
      ? `one of ${pillars} Pillars, its weight not counted yet`
      : `place ${place} of ${pillars} by weight`;
  return `${where}, in ${shares} of 100 ticks of ${durationText(tickOf(network))}`;
}
