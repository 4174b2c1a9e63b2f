import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { decideResumption, makeOutputs, passGate } from "../../providers/syncGate.ts";
import { configOf } from "../components/exampleConfig.ts";
import { scratchDirectory } from "../scratchDirectory.ts";

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

const place = scratchDirectory();
test.each([
  ["alone after a wait that may go on", 9e9, /^the event log could not be read on this machine: /],
  [
    "below the end of a wait that failed",
    1,
    /^127\.0\.0\.1: the node has not synced within [\s\S]*\nthe event log could not be read on this machine: /,
  ],
])("a wait that can't be logged fails, with that fault %s", async (_what, deadline, text) => {
  vi.spyOn(console, "log").mockReturnValue();
  writeFileSync(join(place(), "file"), "");
  const ssh = { ...host, address: "127.0.0.1", port: 1, user: "root", password: "x" };
  const settings = {
    confirmations: 1,
    confirmSpan: 0,
    tolerance: 20,
    deadline,
    stallAfter: 9e9,
    wait: "await",
  } as const;
  const names = { stack: "prod", service: "go-node", dataDir: "/x", title: "Anvil", notify: "https://n.example" };
  const inputs = {
    ...{ ...settings, ...names, references: [], ports: [], library: "", witnessHost: undefined, setUp: undefined },
    host: { stack: "prod", ssh },
    node: configOf().node,
    target: { ssh, via: "direct", address: "127.0.0.1", port: 1 } as const,
    log: { directory: join(place(), "file/log"), stack: "prod", pillar: "Anvil" },
  };
  const notices: string[] = [];
  const run = {
    signal: new AbortController().signal,
    tell: (_: unknown, { event, message }: { event: string; message: string }) => notices.push(`${event}: ${message}`),
  };
  const gate = passGate(inputs as never, { startedAt: new Date(Date.now() - 5000).toISOString() }, run);
  await expect(gate).rejects.toMatchObject({ message: expect.stringMatching(text), kept: { startHeight: undefined } });
  expect(notices.at(-1)).toMatch(/^failed: .* error: the event log could not be read/);
});
