import { expect, test } from "vitest";
import { judgeObservation, type SyncReason } from "../../../core/sync/judgeObservation.ts";
import {
  addSample,
  computeProgress,
  followHeight,
  formatProgress,
  formatShortProgress,
  type HeightStanding,
  type Sample,
} from "../../../core/sync/progress.ts";
import { answer, hour, nodeTime, none } from "./looks.ts";

const startedAt = nodeTime - hour;
const since = "since 2026-01-01 23:00 UTC";
const samples = (...pairs: [number, number][]): Sample[] => pairs.map(([at, height]) => ({ at, height }));

test("computes percentages", () => {
  const why: SyncReason = { kind: "syncing", text: "syncing" };
  const opinion = { good: false, why, streak: 0, confirmations: 3, startedAt };
  const of = (height: number, target: number) => computeProgress(answer(1, height, target), [], opinion).percent;
  expect([of(0, 100), of(14_899_999, 14_900_000), of(100, 100), of(35, 1)]).toEqual(["0.0", "99.9", "100.0", "100.0"]);
  expect(of(5, 0)).toBeUndefined();
});

const quick = samples([0, 0], [10_000, 1000]);
const slow = samples([0, 0], [10_000, 25]);
const still = samples([0, 500], [10_000, 500]);
const rapid = "100 momentums/s, about 2 h 47 min left";
const closed = "not enough peers (0): is 35995/tcp and udp open to the world?";
const aged = (newestAge: number) => answer(2, 1000, 1000, { newestAge });
const stale = "the node says synced, but its newest momentum is 3600 s old";
const below = "the node says synced, below its own target";

test.each([
  ["no answer", none("refused"), [], "no answer from the node yet: refused"],
  ["the first lookup", answer(1, 500, 1000), samples([0, 500]), `50.0 %, height 500 of 1000, ${since}`],
  ["a quick sync", answer(1, 1000, 1_000_000), quick, `0.1 %, height 1000 of 1000000, ${rapid}, ${since}`],
  [
    "a sync at the network's own pace",
    answer(1, 500, 1000),
    samples([0, 0], [11_400, 1]),
    `50.0 %, height 500 of 1000, 0.1 momentums/s, ${since}`,
  ],
  ["no target", answer(1, 25, 0), slow, `height 25 of an unknown target, 2.5 momentums/s, ${since}`],
  ["no peers", answer(3, 500, 0, { peers: 0 }), still, `height 500 of an unknown target, ${since}, ${closed}`],
  [
    "too few peers, whose target is old, without a percentage",
    answer(3, 28, 27, { peers: 5 }),
    still,
    `height 28 of 27, ${since}, ${closed.replace("(0)", "(5)")}`,
  ],
  ["a node that says synced", answer(2, 900, 1000), still, `90.0 %, height 900 of 1000, ${since}, ${below}`],
  [
    "a synced node",
    aged(3000),
    quick,
    "100.0 %, height 1000 of 1000, synced, newest momentum 3 s old (2 of 3 lookups)",
  ],
  ["a stale target without a percentage", aged(hour), still, `height 1000 of 1000, ${since}, ${stale}`],
])("the progress line shows %s", (_what, observation, seen, line) => {
  const { says, why } = judgeObservation(observation, nodeTime);
  const opinion = { good: says === "synced", why, streak: 2, confirmations: 3, startedAt };
  expect(formatProgress(computeProgress(observation, seen, opinion))).toBe(line);
});

test.each([
  ["no answer", none("refused"), [], "no answer"],
  ["the first lookup", answer(1, 500, 1000), samples([0, 500]), "50 %"],
  ["minutes", answer(1, 1000, 100_000), quick, "1 % 17m"],
  ["hours, to ten minutes", answer(1, 430_000, 1_000_000), quick, "43 % 1h40m"],
  ["days", answer(1, 14_900_000, 99_000_000), quick, "15 % 9d17h"],
  ["no target", answer(1, 25, 0), slow, "height 25"],
  ["a synced node", aged(3000), quick, "synced, 2 of 3"],
])("the narrow column shows %s", (_what, observation, seen, short) => {
  const { says, why } = judgeObservation(observation, nodeTime);
  const opinion = { good: says === "synced", why, streak: 2, confirmations: 3, startedAt };
  const line = formatShortProgress(computeProgress(observation, seen, opinion));
  expect(line).toBe(short.replace(/ % (.*)/, " %, $1 left"));
  expect(line.length).toBeLessThanOrEqual(16);
});

test("the time left does not jump with a node that adds all its momentums in one of seven minutes", () => {
  const opinion = { good: false, why: { kind: "syncing", text: "" } as const, streak: 0, confirmations: 3, startedAt };
  let seen: readonly Sample[] = [];
  const lefts: number[] = [];
  for (let second = 0; second <= 4 * 3600; second += 5) {
    const [rounds, rest] = [Math.floor(second / 420), second % 420];
    const height = rounds * 6000 + Math.min(rest, 60) * 100;
    seen = addSample(seen, { at: second * 1000, height });
    const { left } = computeProgress(answer(1, height, 3_000_000), seen, opinion);
    if (second > 3600 && left !== undefined) lefts.push(left / hour);
  }
  expect(lefts.length).toBeGreaterThan(1000);
  expect(Math.max(...lefts) / Math.min(...lefts)).toBeLessThan(1.3);
  expect(seen.length).toBeLessThanOrEqual(62);
});

test("a height that does not grow has no rate, and none of its time counts afterwards", () => {
  const at = (minutes: number, height: number) => ({ at: minutes * 60_000, height });
  let seen: readonly Sample[] = [];
  for (const minutes of [0, 10, 30]) seen = addSample(seen, at(minutes, 5));
  expect(seen).toEqual([at(30, 5)]);
  expect(addSample(seen, at(31, 65))).toEqual([at(30, 5), at(31, 65)]);
});

// Each lookup: its minute, its height (- for no answer), and ! if the node counts as stalled then.
test.each([
  ["none while the height advances", "0:1 14:2 28:3"],
  ["an unchanged height", "0:1 14.9:1 15:1! 99:1!"],
  ["the end of one, and the next one", "0:1 15:1! 16:2 31:2!"],
  ["a silent node", "0:1 9:- 15:-! 16:1! 17:2"],
  ["a node that never answered", "0:- 15:-! 16:7"],
  ["none of a height that falls", "0:9 15:8"],
])("notices stalls: %s", (_what, looks) => {
  let standing: HeightStanding = { at: 0, isStalled: false };
  for (const look of looks.split(" ")) {
    const [at, height = ""] = look.replace("!", "").split(":");
    standing = followHeight(standing, height === "-" ? undefined : Number(height), Number(at) * 60_000, hour / 4);
    expect(standing.isStalled, look).toBe(look.endsWith("!"));
  }
});
