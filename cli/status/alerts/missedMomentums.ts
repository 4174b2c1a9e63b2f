/** A Pillar's momentums in this epoch, as a node counts them. `expected` includes the whole current tick. */
interface Figures {
  readonly expected: number;
  readonly produced: number;
}

/** The newest count of earlier lookups. `dryFrom`: `expected` when `produced` last grew. */
export interface MomentumCounts extends Figures {
  readonly dryFrom: number;
}

/** Momentums that a Pillar missed in this epoch, at least, and those of them in a row until now. */
export interface MissedMomentums {
  readonly missed: number;
  readonly inARow: number;
}

/** `expected` may fall by this much, because a node's count may be old. If it falls further, a new epoch has begun. */
const maxLag = 2;

/**
 * Compares a count with the one before. One count proves no missed momentum, because it includes future slots and may be
 * minutes old. But once `expected` has grown, the momentums expected then should exist. Without a newer count, `missed` is
 * undefined.
 */
export function countMissed(
  before: MomentumCounts | undefined,
  { expected, produced }: Figures,
): { readonly counts: MomentumCounts; readonly missed: MissedMomentums | undefined } {
  if (before === undefined || expected < before.expected - maxLag)
    return { counts: { expected, produced, dryFrom: expected }, missed: { missed: 0, inARow: 0 } };
  if (expected <= before.expected || produced < before.produced) return { counts: before, missed: undefined };
  const isDry = produced === before.produced;
  return {
    counts: { expected, produced, dryFrom: isDry ? before.dryFrom : expected },
    missed: { missed: Math.max(0, before.expected - produced), inARow: isDry ? before.expected - before.dryFrom : 0 },
  };
}
