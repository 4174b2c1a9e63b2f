import { describe, expect, test } from "vitest";
import { type MomentumCounts, updateMomentumCounts } from "../../../../cli/status/alerts/momentumCounts";

/** Looks one after the other: [expected, produced]. */
const after = (...looks: readonly (readonly [number, number])[]): MomentumCounts | undefined =>
  looks.reduce<MomentumCounts | undefined>(
    (before, [expected, produced]) => updateMomentumCounts(before, { expected, produced }),
    undefined,
  );

describe("what a Pillar missed, by counts that are minutes old and have slots to come", () => {
  test.each<[string, readonly (readonly [number, number])[], number, number]>([
    ["one count alone proves nothing", [[30, 12]], 0, 0],
    [
      "slots of the running tick are still to come",
      [
        [10, 9],
        [11, 10],
        [12, 11],
      ],
      0,
      0,
    ],
    [
      "the same count twice is one look",
      [
        [10, 7],
        [10, 7],
      ],
      0,
      0,
    ],
    [
      "what was expected a tick ago, and is not there",
      [
        [10, 7],
        [11, 7],
      ],
      3,
      0,
    ],
    [
      "it stays missed in spite of what comes later",
      [
        [10, 7],
        [11, 7],
        [13, 12],
      ],
      3,
      0,
    ],
    [
      "a row: none of what was expected since it stopped",
      [
        [10, 10],
        [11, 10],
        [13, 10],
        [14, 10],
      ],
      3,
      3,
    ],
    [
      "a row ends with the next momentum",
      [
        [10, 10],
        [13, 10],
        [14, 11],
      ],
      2,
      0,
    ],
    [
      "another node's older answer is no news",
      [
        [10, 9],
        [9, 8],
        [11, 10],
      ],
      0,
      0,
    ],
    [
      "another epoch begins at none",
      [
        [80, 70],
        [81, 70],
        [1, 0],
      ],
      0,
      0,
    ],
  ])("%s", (_what, looks, missed, inARow) => expect(after(...looks)).toMatchObject({ missed, inARow }));
});
