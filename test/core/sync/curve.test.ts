import { describe, expect, test } from "vitest";
import type { CurvePoint, LogEvent } from "../../../core/eventLog/events";
import { addPoint, curveLimit, openWaits } from "../../../core/sync/curve";

const curveOf = (times: readonly number[], limit?: number) =>
  times.reduce<readonly CurvePoint[]>((curve, at) => addPoint(curve, [at, at, 9], limit), []);

test("keeps every point up to the limit", () => {
  const times = Array.from({ length: curveLimit }, (_, i) => i);
  expect(curveOf(times).map(([at]) => at)).toEqual(times);
});

test("drops the point with the nearest neighbours, never the first or the last", () => {
  expect(curveOf([0, 10, 12, 14, 30], 4).map(([at]) => at)).toEqual([0, 10, 14, 30]);
  expect(curveOf([0, 1, 100, 200], 3).map(([at]) => at)).toEqual([0, 100, 200]);
});

test("spreads a week of lookups evenly", () => {
  const week = Array.from({ length: 7 * 24 * 60 }, (_, i) => i);
  const times = curveOf(week).map(([at]) => at);
  const gaps = times.slice(1).map((at, i) => at - (times[i] as number));
  expect([times.length, times[0], times.at(-1)]).toEqual([200, 0, week.length - 1]);
  expect(Math.max(...gaps)).toBeLessThanOrEqual((3 * week.length) / 200);
});

test("accepts a clock that was set back", () => {
  expect(curveOf([100, 200, 50, 60, 300], 4).map(([at]) => at)).toEqual([100, 200, 60, 300]);
});

describe("open waits", () => {
  const line = (event: string, details: object, stack = "prod") =>
    ({ at: "2026-11-18T09:00:00Z", stack, pillar: "Anvil", event, details }) as LogEvent;
  const waiting = (startedAt: string, startHeight: number, from: number, address = "203.0.113.7") =>
    line("waiting", { address, startedAt, startHeight, curve: [[from, startHeight, 9]] });
  const first = waiting("2026-11-18T09:00:00Z", 5, 1000);
  const second = waiting("2026-11-19T09:00:00Z", 6, 2000);
  const found = (...events: LogEvent[]) => openWaits(events, "prod", "203.0.113.7");
  const both = {
    startedAt: "2026-11-18T09:00:00Z",
    startHeight: 5,
    curve: [
      [1000, 5, 9],
      [2000, 6, 9],
    ],
  };

  test("begin with the first of them", () => {
    expect(found(first, second)).toEqual(both);
  });

  test("belong to this stack and host", () => {
    const others = [waiting("2026-11-17T09:00:00Z", 1, 1, "203.0.113.9"), line("waiting", first.details, "prod-2")];
    expect(found(...others, first, second)).toEqual(both);
  });

  test.each(["synced", "released"])("begin anew after a host was %s", (event) => {
    expect(found(first, line(event, {}))).toEqual({ curve: [] });
    expect(found(first, line(event, {}), second)).toEqual({
      startedAt: "2026-11-19T09:00:00Z",
      startHeight: 6,
      curve: [[2000, 6, 9]],
    });
  });

  test("ignore the end of another stack's wait", () => {
    expect(found(first, line("synced", {}, "prod-2"), second)).toEqual(both);
  });

  test("are thinned to the limit", () => {
    const lines = Array.from({ length: 336 }, (_, i) => waiting("2026-11-18T09:00:00Z", 5, i));
    expect(found(...lines).curve).toHaveLength(curveLimit);
  });
});
