import { expect, test } from "vitest";
import { decideResumption, makeOutputs } from "../../providers/syncGate.ts";

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

const host = { address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA" };
test.each([
  ["is kept on the host that it was made on", {}, {}, "keep"],
  ["is kept after a set-up that was made anew", { setUp: "2" }, { setUp: "2" }, "keep"],
  ["does not count on a disk that was set back", {}, { setUp: "2" }, "restart"],
  ["does not count on a disk that was set back once more", { setUp: "1" }, { setUp: "2" }, "restart"],
] as const)("a proof of the sync %s", (_what, kept, now, decision) => {
  expect(decideResumption({ syncedAt: record.syncedAt, ...host, ...kept }, { ...host, ...now })).toBe(decision);
});
