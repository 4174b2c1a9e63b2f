import { describe, expect, test } from "vitest";
import { type MomentumCounts, updateMomentumCounts } from "../../../../cli/status/alerts/momentumCounts";

/** Returns the counts after lookups: [expected, produced]. */
const after = (...looks: readonly (readonly [number, number])[]): MomentumCounts | undefined =>
  looks.reduce<MomentumCounts | undefined>(
    (before, [expected, produced]) => updateMomentumCounts(before, { expected, produced }),
    undefined,
  );

describe("missed momentums by counts that are minutes old", () => {
  test.each<[string, readonly (readonly [number, number])[], number, number]>([
    ["ignore a single count", [[30, 12]], 0, 0],
    [
      "ignore the slots of the running tick",
      [
        [10, 9],
        [11, 10],
        [12, 11],
      ],
      0,
      0,
    ],
    [
      "ignore a repeated count",
      [
        [10, 7],
        [10, 7],
      ],
      0,
      0,
    ],
    [
      "include momentums that were expected a tick ago",
      [
        [10, 7],
        [11, 7],
      ],
      3,
      0,
    ],
    [
      "stay missed after later momentums",
      [
        [10, 7],
        [11, 7],
        [13, 12],
      ],
      3,
      0,
    ],
    [
      "form a row since the last momentum",
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
      "end a row with the next momentum",
      [
        [10, 10],
        [13, 10],
        [14, 11],
      ],
      2,
      0,
    ],
    [
      "ignore the older answer of another node",
      [
        [10, 9],
        [9, 8],
        [11, 10],
      ],
      0,
      0,
    ],
    [
      "start again in another epoch",
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
