/** Where the height stands, and since when (milliseconds of a clock that never jumps). */
export interface HeightStanding {
  /** undefined while none was ever seen. */
  readonly height?: number | undefined;
  readonly at: number;
  readonly isStalled: boolean;
}

/**
 * Takes in what a look showed. A node that is out of sight does not move either.
 *
 * @param height undefined where the look showed none
 * @param stallAfter milliseconds
 * @returns where it stands now, and what that is news of
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
