/** Momentums of a Pillar in this epoch, as a node counts them. `expected` includes the whole current tick. */
interface Figures {
  readonly expected: number;
  readonly produced: number;
}

export interface MomentumCounts extends Figures {
  /** Momentums that the Pillar missed in this epoch, at least. */
  readonly missed: number;
  /** Value of `expected` when `produced` last grew. */
  readonly dryFrom: number;
  /** Momentums missed in a row until now. */
  readonly inARow: number;
}

/** `expected` may fall by this much, because a node's count may be old. If it falls further, a new epoch has begun. */
const maxLag = 2;

/**
 * Adds a node's count. One count proves no missed momentum, because it includes future slots and may be minutes old.
 * But once `expected` has grown, the tick of the earlier count is over, so the momentums expected then should exist.
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
