import { expect, test } from "vitest";
import { makeOutputs } from "../../providers/syncGate";

const record = {
  state: 2,
  currentHeight: 13_600,
  targetHeight: 13_600,
  startHeight: 100,
  startedAt: "2026-01-02T03:00:00.000Z",
  syncedAt: "2026-01-02T04:00:00.000Z",
  proved: ["a"],
  unproved: ["b"],
};

test("computes the duration and the rate of a sync", () => {
  const witnessed = { height: 13_600, hash: "ab" };
  expect(makeOutputs({ ...record, witnessed })).toEqual({ ...record, durationSeconds: 3600, rate: 3.8 });
  const atOnce = { ...record, syncedAt: record.startedAt };
  expect(makeOutputs(atOnce)).toEqual({ ...atOnce, durationSeconds: 0, rate: 0 });
});
