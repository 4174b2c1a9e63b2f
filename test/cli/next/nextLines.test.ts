import { expect, test } from "vitest";
import { decideNextStep, type NextStepInput } from "../../../cli/next/nextLines";
import type { LastRunOutputs, StackState } from "../../../cli/pulumi/stackState";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const clicks = ["In the wallet:", `  3. Paste this: ${address}`];
const shown: LastRunOutputs = { nextStep: clicks, producerAddress: address, isRegistered: false, isOffered: true };
const lock = { user: "ada", host: "laptop", pid: 42, since: Date.parse("2026-11-22T10:00:00Z") };
const at = (
  changes: Omit<Partial<NextStepInput>, "state"> & { shown?: LastRunOutputs; state?: Partial<StackState> } = {},
) =>
  decideNextStep({
    stack: "prod-2",
    lifecycle: "active",
    held: [],
    node: { synced: true, known: true, why: "synced" },
    ...changes,
    state: { isBegun: true, pending: [], ...(changes.shown ? { lastRun: changes.shown } : {}), ...changes.state },
  });

test("prints the last run's next step unchanged", () => {
  expect(at({ shown })).toEqual(clicks);
});

test.each([
  [{ synced: false, known: true, why: "at 9 of 10" }, "is not synced now (at 9 of 10)"],
  [{ synced: false, known: false, why: "no answer" }, "is not reachable now (no answer)"],
  [undefined, "was not asked"],
])("offers an address only while the node is synced: %j", (node, said) => {
  const lines = at({ shown, node });
  expect(lines).toEqual([
    `Do not touch the wallet: the node of prod-2 ${said}.`,
    "The producer address is shown again once the node is synced:",
    "  pulumi up -s prod-2",
  ]);
});

test("prints an address that is registered already", () => {
  expect(at({ shown: { ...shown, isRegistered: true }, node: undefined })).toEqual(clicks);
});

test("says that a switch may have come since the last run", () => {
  const waits = { ...shown, isRegistered: true, isAwaited: true, nextStep: ["No momentum carries it yet."] };
  expect(at({ shown: waits, node: undefined })).toEqual([
    "Next step as of the last run (to check again: pulumi up -s prod-2):",
    "No momentum carries it yet.",
  ]);
});

test("reads no node for lines without an address", () => {
  const moves = { ...shown, nextStep: ["The orchestrator moves next:"], isOffered: false };
  expect(at({ shown: moves, node: undefined })).toEqual(["The orchestrator moves next:"]);
});

test("names an active run, whatever the last run printed", () => {
  expect(at({ shown, held: [{ lock, holder: "lives" }] })).toEqual([
    "Nothing to do: a run is at work on prod-2 (process 42 of ada on laptop, since 2026-11-22 10:00 UTC).",
    "To follow that run: ./pillar-host status prod-2 --watch",
  ]);
});

test.each([
  [{ held: [{ lock, holder: "gone" as const }] }],
  [{ held: undefined, state: { pending: [{ operation: "creating", type: "t", name: "n" }] } }],
])("proposes resume for an interrupted run: %j", (changes) => {
  expect(at({ shown, ...changes }).at(-1)).toBe("  ./pillar-host resume prod-2");
});

test.each([
  ["active", "  ./pillar-host check prod-2"],
  ["adopted", "  ./pillar-host check prod-2"],
  [
    "retiring",
    "prod-2 has no resources: they were destroyed, or never made. Its event log: ./pillar-host report prod-2",
  ],
] as const)("names the first command of a stack with nothing made, %s", (lifecycle, said) => {
  expect(at({ lifecycle, state: { isBegun: false } })).toContain(said);
});

test("says before the first run that the terminal may be closed", () => {
  expect(at({ state: { isBegun: false } }).at(-1)).toContain("You may close the terminal");
});

test("distinguishes a run that waits from one that failed", () => {
  const startedAt = "2026-11-22T10:00:00Z";
  expect(at({ state: { wait: { startedAt } } })[0]).toMatch(/^The node is syncing, and no run waits/);
  expect(at({ state: { wait: { startedAt, syncedAt: startedAt } } })[0]).toMatch(/did not finish/);
  expect(at()[0]).toMatch(/did not finish/);
  expect(at({ state: { isAwaiting: true } })[0]).toMatch(/^The node is syncing, and no run waits/);
  expect(at({ state: { isAwaiting: true, wait: { startedAt, syncedAt: startedAt } } })[0]).toMatch(/did not finish/);
});
