import { describe, expect, test } from "vitest";
import { pollIntervalMs } from "../../../core/sync/pollInterval";
import { answer, none } from "./looks";

describe("the poll interval", () => {
  const anHour = 10 + 1 / 11.4;
  test.each([
    ["the time left is unknown", 5000, 1_000_000, 0, 5000],
    ["there is no target", 5000, 0, 10, 5000],
    ["20 s are left", 5000, 5200, 10.1, 2000],
    ["an hour is left", 5000, 41_000, anHour, 72_000],
    ["days are left", 5000, 10_000_000, 10.1, 300_000],
    ["the node is nearly synced, at any rate", 5000, 5020, 0.11, 2000],
    ["the node is slightly above its target", 5000, 4990, 0.1, 2000],
  ])("while the node syncs and %s", (_what, height, target, rate, pause) => {
    const samples = [
      { at: 0, height: height - rate },
      { at: 1000, height },
    ];
    expect(pollIntervalMs(answer(1, height, target), false, 0, samples)).toBe(pause);
    expect(pollIntervalMs(answer(1, height, target), true, 0, samples)).toBe(2000);
    expect(pollIntervalMs(answer(1, height, target), false, 0, samples.slice(1))).toBe(2000);
  });

  test.each([
    ["a restarting node soon", none(), [2000, 4000, 5000, 5000, 5000]],
    ["an unreachable host less often", { ...none(), unreachable: true }, [2000, 4000, 8000, 16_000, 30_000]],
  ])("asks %s", (_what, observation, pauses) => {
    const found = [1, 2, 3, 4, 500].map((failures) => pollIntervalMs(observation, false, failures, []));
    expect(found).toEqual(pauses);
  });
});
