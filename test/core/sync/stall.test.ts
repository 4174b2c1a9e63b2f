import { expect, test } from "vitest";
import { followHeight, type HeightStanding } from "../../../core/sync/stall";

const minute = 60_000;

/** Returns what is news at each of these looks: [minutes, height]. */
function newsOf(looks: readonly (readonly [number, number | undefined])[]): (string | undefined)[] {
  let standing: HeightStanding = { at: 0, isStalled: false };
  return looks.map(([at, height]) => {
    const followed = followHeight(standing, height, at * minute, 15 * minute);
    standing = followed.standing;
    return followed.news;
  });
}

test.each<[string, readonly (readonly [number, number | undefined])[], (string | undefined)[]]>([
  [
    "a height that advances",
    [
      [0, 1],
      [14, 2],
      [28, 3],
    ],
    [undefined, undefined, undefined],
  ],
  [
    "a height that stays is reported once",
    [
      [0, 1],
      [14.9, 1],
      [15, 1],
      [99, 1],
    ],
    [undefined, undefined, "stalled", undefined],
  ],
  [
    "the end of a stall, and the next stall",
    [
      [0, 1],
      [15, 1],
      [16, 2],
      [31, 2],
    ],
    [undefined, "stalled", "over", "stalled"],
  ],
  [
    "a silent node stalls",
    [
      [0, 1],
      [9, undefined],
      [15, undefined],
      [16, 1],
      [17, 2],
    ],
    [undefined, undefined, "stalled", undefined, "over"],
  ],
  [
    "a node that never answered stalls",
    [
      [0, undefined],
      [15, undefined],
      [16, 7],
    ],
    [undefined, "stalled", "over"],
  ],
  [
    "a height that falls is no stall",
    [
      [0, 9],
      [15, 8],
    ],
    [undefined, undefined],
  ],
])("%s", (_what, looks, news) => {
  expect(newsOf(looks)).toEqual(news);
});
