/** What a Pillar was to produce in the running epoch, and did, as a node counts it: the running tick whole. */
interface Figures {
  readonly expected: number;
  readonly produced: number;
}

/** What looks at these figures amount to. */
export interface MomentumCounts extends Figures {
  /** At least so many of the epoch's. */
  readonly missed: number;
  /** What was expected when `produced` was first what it is now. */
  readonly dryFrom: number;
  /** So many in a row, the last that are known. */
  readonly inARow: number;
}

/** Two nodes count at other moments: an answer so much lower may be of before, a lower one is of another epoch. */
const maxLag = 2;

/**
 * Adds a look. A count has slots that are still to come, and may be minutes old, so one alone proves nothing; but once
 * more is expected, the tick of the count before is over, and what it expected should be there.
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
