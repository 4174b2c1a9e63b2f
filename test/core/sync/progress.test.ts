import { describe, expect, test } from "vitest";
import { judgeObservation } from "../../../core/sync/judgeObservation";
import { computeProgress, computeRate, computeTimeLeft, formatPercent, type Sample } from "../../../core/sync/progress";
import { formatProgress } from "../../../core/sync/syncMessages";
import { formatDuration } from "../../../core/util/timeText";
import { answer, hour, nodeTime, none } from "./looks";

const startedAt = nodeTime - hour;
const since = "since 2026-01-01 23:00 UTC";
const samples = (...pairs: [number, number][]): Sample[] => pairs.map(([at, height]) => ({ at, height }));

test.each([
  [[], undefined],
  [samples([0, 5]), undefined],
  [samples([5, 1], [5, 9]), undefined],
  [samples([9, 1], [5, 9]), undefined],
  [
    [
      { at: 0, height: 1 },
      { at: 9, height: 5, stretch: 1 },
    ],
    undefined,
  ],
  [samples([0, 100], [2000, 150]), 25],
  [samples([0, 100], [1000, 1], [2000, 150]), 25],
  [samples([0, 100], [2000, 100]), 0],
  [samples([0, 100], [2000, 50]), -25],
])("computes the rate of %j as %s", (seen, rate) => {
  expect(computeRate(seen)).toBe(rate);
});

test("leaves gaps in the lookups out of the rate", () => {
  const gap = [
    { at: 0, height: 100, stretch: 0 },
    { at: 1000, height: 110, stretch: 0 },
    { at: 61_000, height: 110, stretch: 1 },
    { at: 63_000, height: 130, stretch: 1 },
  ];
  expect(computeRate(gap)).toBe(10);
});

test.each([
  [0, 100, undefined, undefined],
  // The main network's own pace is a momentum in 11.4 s.
  [0, 100, 1 / 11.4, undefined],
  [0, 100, 1 / 5.7, 1_140_000],
  [0, 100, 0, undefined],
  [0, 100, -3, undefined],
  [0, 100, 10 + 1 / 11.4, 10_000],
  [100, 100, 10.1, 0],
  [200, 100, 10.1, 0],
])("computes from %i to %i at %s momentums/s: %s ms left", (height, target, rate, left) => {
  const found = computeTimeLeft(height, target, rate);
  expect(found && Math.round(found)).toBe(left);
});

test.each([
  [0, "0 s"],
  [1499, "1 s"],
  [59_499, "59 s"],
  [59_500, "1 min"],
  [89_000, "1 min"],
  [90_000, "2 min"],
  [59 * 60_000, "59 min"],
  [59.5 * 60_000, "1 h 00 min"],
  [2 * hour + 5 * 60_000, "2 h 05 min"],
  [24 * hour - 31_000, "23 h 59 min"],
  [24 * hour - 30_000, "1 d 00 h"],
  [76.9 * hour, "3 d 04 h"],
  [168 * hour, "7 d 00 h"],
])("formats %d ms as %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test.each([
  [0, 100, "0.0"],
  [57, 100, "57.0"],
  [9999, 10_000, "99.9"],
  [14_899_999, 14_900_000, "99.9"],
  [100, 100, "100.0"],
  [101, 100, "100.0"],
  [35, 1, "100.0"],
  [5, 0, undefined],
])("computes %i of %i as %s %%", (height, target, percent) => {
  expect(formatPercent(height, target)).toBe(percent);
});

describe("the progress line", () => {
  const quick = samples([0, 0], [10_000, 1000]);
  const slow = samples([0, 0], [10_000, 25]);
  const still = samples([0, 500], [10_000, 500]);

  test.each([
    ["no answer", none("refused"), [], "no answer from the node yet: refused"],
    ["the first lookup", answer(1, 500, 1000), samples([0, 500]), `50.0 %, height 500 of 1000, ${since}`],
    [
      "a quick sync",
      answer(1, 1000, 1_000_000),
      quick,
      `0.1 %, height 1000 of 1000000, 100 momentums/s, about 2 h 47 min left, ${since}`,
    ],
    ["a slow sync", answer(1, 25, 1000), slow, `2.5 %, height 25 of 1000, 2.5 momentums/s, about 7 min left, ${since}`],
    ["a stalled sync", answer(1, 500, 1000), still, `50.0 %, height 500 of 1000, ${since}`],
    ["no target", answer(1, 25, 0), slow, `height 25 of an unknown target, 2.5 momentums/s, ${since}`],
    [
      "no peers",
      answer(3, 500, 0, { peers: 0 }),
      still,
      `height 500 of an unknown target, ${since}, not enough peers (0): is 35995/tcp and udp open to the world?`,
    ],
    [
      "a node that says synced",
      answer(2, 900, 1000),
      still,
      `90.0 %, height 900 of 1000, ${since}, the node says synced, below its own target`,
    ],
    [
      "a synced node",
      answer(2, 1000, 1000, { newestAge: 3000 }),
      quick,
      "100.0 %, height 1000 of 1000, synced, newest momentum 3 s old (2 of 3 lookups)",
    ],
  ])("shows %s", (_what, observation, seen, line) => {
    const { says, why } = judgeObservation(observation, nodeTime);
    const opinion = { good: says === "synced", why, streak: 2, confirmations: 3, startedAt };
    expect(formatProgress(computeProgress(observation, seen, opinion))).toBe(line);
  });

  test("follows the decision, not the node's answer", () => {
    const opinion = {
      good: false,
      why: { kind: "contradicted", text: "the node says synced at 1000, the references are at 2000" } as const,
      streak: 0,
      confirmations: 3,
      startedAt,
    };
    expect(formatProgress(computeProgress(answer(2, 1000, 1000, { newestAge: 3000 }), still, opinion))).toBe(
      `height 1000 of 1000, ${since}, the node says synced at 1000, the references are at 2000`,
    );
  });
});
