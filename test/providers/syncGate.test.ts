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
  expect(makeOutputs(record)).toEqual({
    state: 2,
    currentHeight: 13_600,
    targetHeight: 13_600,
    startHeight: 100,
    proved: ["a"],
    unproved: ["b"],
    startedAt: "2026-01-02T03:00:00.000Z",
    syncedAt: "2026-01-02T04:00:00.000Z",
    durationSeconds: 3600,
    rate: 3.8,
  });
});

test("has no rate if the node was synced at once", () => {
  expect(makeOutputs({ ...record, syncedAt: record.startedAt })).toMatchObject({ durationSeconds: 0, rate: 0 });
});
