/** The last new height. `at`: its first lookup, in milliseconds of a monotonic clock. */
export interface HeightStanding {
  readonly height?: number | undefined;
  readonly at: number;
  readonly isStalled: boolean;
}

/** Updates the height after a lookup. No answer counts as no new height. `stallAfter` is in milliseconds. */
export function followHeight(
  before: HeightStanding,
  height: number | undefined,
  at: number,
  stallAfter: number,
): HeightStanding {
  if (height !== undefined && height !== before.height) return { height, at, isStalled: false };
  return { ...before, isStalled: before.isStalled || at - before.at >= stallAfter };
}
