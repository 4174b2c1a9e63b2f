/** A node's count of a Pillar's momentums in this epoch. `expected` includes the whole current tick. */
export interface MomentumCounts {
  readonly expected: number;
  readonly produced: number;
  /** Value of `expected` when `produced` last grew. */
  readonly dryFrom: number;
}

/** `expected` may fall by this much, because a node's count may be old. If it falls further, a new epoch has begun. */
const maxLag = 2;

/**
 * Compares a count with the one before. One count proves no missed momentum, because it includes future slots and may be
 * minutes old. But once `expected` has grown, the momentums expected then should exist. Returns the momentums missed in
 * this epoch, at least, and those of them in a row until now; undefined without a newer count.
 */
export function countMissed(
  before: MomentumCounts | undefined,
  { expected, produced }: Omit<MomentumCounts, "dryFrom">,
): { counts: MomentumCounts; missed?: { missed: number; inARow: number } } {
  if (before === undefined || expected < before.expected - maxLag)
    return { counts: { expected, produced, dryFrom: expected }, missed: { missed: 0, inARow: 0 } };
  if (expected <= before.expected || produced < before.produced) return { counts: before };
  const isDry = produced === before.produced;
  return {
    counts: { expected, produced, dryFrom: isDry ? before.dryFrom : expected },
    missed: { missed: Math.max(0, before.expected - produced), inARow: isDry ? before.expected - before.dryFrom : 0 },
  };
}
