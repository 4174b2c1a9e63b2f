import { expect, test } from "vitest";
import { curveLimit, traced, withPoint } from "../../../providers/gate/curve";
import type { CurvePoint } from "../../../providers/journey";
import type { Observation } from "../../../providers/rpc/node";
import { answer, none } from "./looks";

const curveOf = (times: readonly number[], limit?: number) =>
  times.reduce<readonly CurvePoint[]>((curve, at) => withPoint(curve, [at, at, 9], limit), []);

test("every point is kept until there are too many", () => {
  const times = Array.from({ length: curveLimit }, (_, i) => i);
  expect(curveOf(times).map(([at]) => at)).toEqual(times);
});

test("the point between the nearest neighbours goes, never the first or the last", () => {
  expect(curveOf([0, 10, 12, 14, 30], 4).map(([at]) => at)).toEqual([0, 10, 14, 30]);
  expect(curveOf([0, 1, 100, 200], 3).map(([at]) => at)).toEqual([0, 100, 200]);
});

test("a week of looks each minute is an even curve", () => {
  const week = Array.from({ length: 7 * 24 * 60 }, (_, i) => i);
  const times = curveOf(week).map(([at]) => at);
  const gaps = times.slice(1).map((at, i) => at - (times[i] as number));
  expect([times.length, times[0], times.at(-1)]).toEqual([200, 0, week.length - 1]);
  expect(Math.max(...gaps)).toBeLessThanOrEqual((3 * week.length) / 200);
});

test("a clock that was set back does no harm", () => {
  expect(curveOf([100, 200, 50, 60, 300], 4).map(([at]) => at)).toEqual([100, 200, 60, 300]);
});

test("a client keeps what the node answered, behind the curve of the wait before", async () => {
  const found: Observation[] = [none(), answer(1, 40, 0), answer(1, 50, 90)];
  const client = { observe: async () => found.shift() as Observation, close: () => undefined };
  let now = 1000;
  const seen = traced(client, [[10, 1, 90]], () => now++);
  expect([await seen.client.observe(), await seen.client.observe()]).toEqual([none(), answer(1, 40, 0)]);
  await seen.client.observe();
  expect(seen.curve()).toEqual([
    [10, 1, 90],
    [1000, 40, 0],
    [1001, 50, 90],
  ]);
});
