import { expect, test } from "vitest";
import { followHeight, type HeightStanding } from "../../../core/sync/stall";

const minute = 60_000;

/** Returns the news of each of these lookups: [minutes, height]. */
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
    "none while the height advances",
    [
      [0, 1],
      [14, 2],
      [28, 3],
    ],
    [undefined, undefined, undefined],
  ],
  [
    "one of an unchanged height, once",
    [
      [0, 1],
      [14.9, 1],
      [15, 1],
      [99, 1],
    ],
    [undefined, undefined, "stalled", undefined],
  ],
  [
    "the end of one, and the next one",
    [
      [0, 1],
      [15, 1],
      [16, 2],
      [31, 2],
    ],
    [undefined, "stalled", "over", "stalled"],
  ],
  [
    "one of a silent node",
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
    "one of a node that never answered",
    [
      [0, undefined],
      [15, undefined],
      [16, 7],
    ],
    [undefined, "stalled", "over"],
  ],
  [
    "none of a height that falls",
    [
      [0, 9],
      [15, 8],
    ],
    [undefined, undefined],
  ],
])("reports stalls: %s", (_what, looks, news) => {
  expect(newsOf(looks)).toEqual(news);
});
