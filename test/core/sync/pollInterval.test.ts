import { describe, expect, test } from "vitest";
import { pollIntervalMs } from "../../../core/sync/pollInterval";
import type { Sample } from "../../../core/sync/progress";
import { answer, none } from "./looks";

/** Returns two samples a second apart with this many momentums between them. */
const atRate = (rate: number, height: number): Sample[] => [
  { at: 0, height: height - rate },
  { at: 1000, height },
];
const look = { isNews: false, failures: 0, samples: [] };

describe("while the node syncs", () => {
  test.each([
    ["the time left is unknown", 5000, 1_000_000, 0, 5000],
    ["there is no target", 5000, 0, 10, 5000],
    ["20 s are left", 5000, 5200, 10.1, 2000],
    ["150 s are left", 5000, 6500, 10 + 1 / 11.4, 3000],
    ["an hour is left", 5000, 41_000, 10 + 1 / 11.4, 72_000],
    ["days are left", 5000, 10_000_000, 10.1, 300_000],
    ["the node is nearly synced, at any rate", 5000, 5020, 0.11, 2000],
    ["the node is slightly above its target", 5000, 4990, 0.1, 2000],
  ])("decides the poll interval if %s", (_what, height, target, rate, pause) => {
    expect(pollIntervalMs({ ...look, observation: answer(1, height, target), samples: atRate(rate, height) })).toBe(
      pause,
    );
  });

  test("asks again at once after a lookup that counts", () => {
    const observation = answer(2, 5000, 1_000_000);
    expect(pollIntervalMs({ ...look, observation, isNews: true, samples: atRate(10, 5000) })).toBe(2000);
  });
});

describe("while nothing answers", () => {
  test("asks a restarting node again soon", () => {
    const pauses = [1, 2, 3, 4, 500].map((failures) => pollIntervalMs({ ...look, observation: none(), failures }));
    expect(pauses).toEqual([2000, 4000, 5000, 5000, 5000]);
  });

  test("asks an unreachable host less often", () => {
    const observation = { kind: "none", reason: "timed out", unreachable: true } as const;
    const pauses = [1, 2, 3, 4, 5, 500].map((failures) => pollIntervalMs({ ...look, observation, failures }));
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });
});
