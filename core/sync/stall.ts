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
): { standing: HeightStanding; news?: "stalled" | "over" } {
  if (height !== undefined && height !== before.height) {
    const standing = { height, at, isStalled: false };
    return before.isStalled ? { standing, news: "over" } : { standing };
  }
  if (before.isStalled || at - before.at < stallAfter) return { standing: before };
  return { standing: { ...before, isStalled: true }, news: "stalled" };
}
