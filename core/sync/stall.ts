/** The last new height, and the time since which it is unchanged (milliseconds of a monotonic clock). */
export interface HeightStanding {
  /** undefined until a lookup shows a height. */
  readonly height?: number | undefined;
  readonly at: number;
  readonly isStalled: boolean;
}

/**
 * Updates the height after a lookup. A node without an answer counts as not moving.
 *
 * @param height undefined if the lookup showed none
 * @param stallAfter milliseconds
 * @returns the new state, and whether a stall began or ended
 */
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
