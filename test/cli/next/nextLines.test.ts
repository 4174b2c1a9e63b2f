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
    node: undefined,
    ...changes,
    state: { isBegun: true, pending: [], ...(changes.shown ? { lastRun: changes.shown } : {}), ...changes.state },
  });

const synced = { node: { synced: true, known: true, why: "synced" } };
const startedAt = "2026-11-22T10:00:00Z";
const waits = { ...shown, isRegistered: true, isAwaited: true, nextStep: ["No momentum carries it yet."] };

test.each<[string, Parameters<typeof at>[0], readonly string[]]>([
  ["the last run's next step, unchanged", { shown, ...synced }, clicks],
  ["an address that is registered already", { shown: { ...shown, isRegistered: true } }, clicks],
  [
    "that a switch may have come since the last run",
    { shown: waits },
    ["Next step as of the last run (to check again: pulumi up -s prod-2):", "No momentum carries it yet."],
  ],
  ["lines without an address", { shown: { ...shown, nextStep: ["a move"], isOffered: false } }, ["a move"]],
  [
    "an active run, whatever the last run printed",
    { shown, held: [{ lock, holder: "lives" }] },
    [
      "Nothing to do: a run is at work on prod-2 (process 42 of ada on laptop, since 2026-11-22 10:00 UTC).",
      "To follow that run: ./pillar-host status prod-2 --watch",
    ],
  ],
])("prints %s", (_, situation, lines) => {
  expect(at(situation)).toEqual(lines);
});

test.each([
  [{ synced: false, known: true, why: "at 9 of 10" }, "is not synced now (at 9 of 10)"],
  [{ synced: false, known: false, why: "no answer" }, "is not reachable now (no answer)"],
  [undefined, "was not asked"],
])("offers an address only while the node is synced: %j", (node, said) => {
  expect(at({ shown, node })).toEqual([
    `Do not touch the wallet: the node of prod-2 ${said}.`,
    "The producer address is shown again once the node is synced:",
    "  pulumi up -s prod-2",
  ]);
});

test.each<[Parameters<typeof at>[0], string | RegExp]>([
  [{ shown, held: [{ lock, holder: "gone" }] }, "  ./pillar-host resume prod-2"],
  [{ held: undefined, state: { pending: [{ operation: "creating", type: "t", name: "n" }] } }, /resume prod-2$/],
  [{ lifecycle: "active", state: { isBegun: false } }, "  ./pillar-host check prod-2"],
  [{ lifecycle: "adopted", state: { isBegun: false } }, "  ./pillar-host check prod-2"],
  [{ lifecycle: "active", state: { isBegun: false } }, /You may close the terminal/],
  [{ lifecycle: "retiring", state: { isBegun: false } }, /^prod-2 has no resources.* \.\/pillar-host report prod-2$/],
  [{ state: { wait: { startedAt } } }, /^The node is syncing, and no run waits/],
  [{ state: { isAwaiting: true } }, /^The node is syncing, and no run waits/],
  [{ state: { wait: { startedAt, syncedAt: startedAt } } }, /did not finish/],
  [{ state: { isAwaiting: true, wait: { startedAt, syncedAt: startedAt } } }, /did not finish/],
  [{}, /did not finish/],
])("says how to continue: %j", (situation, line) => {
  expect(at(situation)).toContainEqual(typeof line === "string" ? line : expect.stringMatching(line));
});
