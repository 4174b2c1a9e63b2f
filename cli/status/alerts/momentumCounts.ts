/** Momentums of a Pillar in this epoch, by a node's count. It includes the whole current tick. */
interface Figures {
  readonly expected: number;
  readonly produced: number;
}

export interface MomentumCounts extends Figures {
  /** Minimum of missed momentums in this epoch. */
  readonly missed: number;
  /** Expected momentums when `produced` reached its current value. */
  readonly dryFrom: number;
  /** Latest momentums missed in a row. */
  readonly inARow: number;
}

/** Difference by which an older answer may be lower; an even lower one belongs to another epoch. */
const maxLag = 2;

/**
 * Adds a count. It includes future slots and may be minutes old, so one count proves nothing. Once more momentums are
 * expected, the tick of the earlier count is over, and its expected momentums should exist.
 */
export function updateMomentumCounts(
  before: MomentumCounts | undefined,
  { expected, produced }: Figures,
): MomentumCounts {
  const first = { expected, produced, missed: 0, dryFrom: expected, inARow: 0 };
  if (before === undefined || expected < before.expected - maxLag) return first;
  if (expected < before.expected || produced < before.produced) return before;
  const isDry = produced === before.produced;
  const dryFrom = isDry ? before.dryFrom : expected;
  if (expected === before.expected) return { ...before, produced, dryFrom, inARow: isDry ? before.inARow : 0 };
  return {
    expected,
    produced,
    dryFrom,
    missed: Math.max(before.missed, before.expected - produced),
    inARow: isDry ? before.expected - dryFrom : 0,
  };
}
