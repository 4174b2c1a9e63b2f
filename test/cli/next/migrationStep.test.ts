import { expect, test } from "vitest";
import { decideMigrationStep, type MigrationStack, type MigrationStep } from "../../../cli/next/migrationStep";
import type { LastRunOutputs, StackState } from "../../../cli/pulumi/stackState";
import { createUnknownParts, type StatusParts } from "../../../cli/status/parts/statusParts";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const clicks = ["In the wallet:", `  3. Paste this: ${address}`];
const lock = { user: "ada", host: "laptop", pid: 42, since: Date.parse("2026-11-22T10:00:00Z") };
const offered: LastRunOutputs = { nextStep: clicks, producerAddress: address, isRegistered: false, isOffered: true };
const produces: LastRunOutputs = { ...offered, isRegistered: true, isOffered: false };
const nothing: StackState = { isBegun: false, pending: [] };
const after = (lastRun?: LastRunOutputs): StackState => ({
  isBegun: true,
  pending: [],
  ...(lastRun ? { lastRun } : {}),
});

const parts = (
  registration: string,
  others: {
    orchestrator?: string;
    destroy?: readonly string[];
    isOff?: boolean;
    wasOurs?: boolean;
    isLate?: boolean;
  } = {},
) =>
  ({
    ...createUnknownParts("active", "not asked"),
    node: { value: { active: !others.isOff, masked: others.isOff === true } },
    registration: {
      value: {
        kind: registration,
        address: "z1qslip",
        notes: [],
        wasOurs: others.wasOurs ?? false,
        isLate: others.isLate ?? false,
      },
    },
    orchestrator: { value: { kind: others.orchestrator ?? "none", text: "", isWrong: false } },
    destroy: { value: (others.destroy ?? []).map((what) => ({ loss: "rewards", what, needed: "collect them" })) },
  }) as unknown as StatusParts;

const stackAt = (stack: string, changes: Partial<MigrationStack>): MigrationStack => ({
  stack,
  lifecycle: "active",
  state: after(offered),
  held: [],
  node: { synced: true, known: true, why: "synced" },
  oldHost: "198.51.100.9",
  isMoveConfigured: false,
  isRollbackConfigured: false,
  isFirstMoveConfirmed: false,
  parts: parts("earlier"),
  ...changes,
});
const adopted: Partial<MigrationStack> = { lifecycle: "adopted", state: after({ ...offered, isOffered: false }) };
const moved = { isMoveConfigured: true, state: after({ ...offered, orchestratorHost: "new" }) };
const done = { state: after(produces), parts: parts("producing") };
const retiring = (changes: Parameters<typeof parts>[1] = {}): Partial<MigrationStack> => ({
  lifecycle: "retiring",
  state: after({ ...offered, isOffered: false }),
  parts: parts("producing", { isOff: true, ...changes }),
});

const at = (fresh: Partial<MigrationStack> | undefined, old: Partial<MigrationStack> | undefined) =>
  decideMigrationStep({
    old: "prod",
    fresh: "prod-2",
    freshStack: fresh && stackAt("prod-2", fresh),
    oldStack: old && stackAt("prod", old),
  });
const lineOf = (step: MigrationStep) => (step.kind === "run" ? step.line : step);

test.each([
  ["no new stack", undefined, undefined, "./pillar-host init prod-2"],
  ["nothing made", { state: nothing }, undefined, "pulumi up -s prod-2"],
  ["a run that ended early", { state: after() }, undefined, "pulumi up -s prod-2"],
  ["synced, no old stack", {}, undefined, "./pillar-host adopt prod 198.51.100.9 --like prod-2"],
  [
    "an adoption without its run",
    {},
    { ...adopted, state: nothing },
    "./pillar-host adopt prod 198.51.100.9 --like prod-2",
  ],
  ["an adoption that ended early", {}, { ...adopted, state: after() }, "pulumi up -s prod"],
  [
    "an orchestrator on the old host",
    {},
    { ...adopted, parts: parts("earlier", { orchestrator: "signs" }) },
    "./pillar-host move prod-2 --from prod",
  ],
  ["a move that is configured", { isMoveConfigured: true }, adopted, "pulumi up -s prod-2"],
  [
    "a first move that is over",
    { ...moved, isFirstMoveConfirmed: true },
    adopted,
    "pulumi config rm --path pillar-host:orchestrator.migrateFrom.firstMove -s prod-2",
  ],
  [
    "an address that no run offered yet",
    { state: after({ ...offered, isOffered: false }) },
    adopted,
    "pulumi up -s prod-2",
  ],
  ["momentums that no run saw", { parts: parts("producing") }, adopted, "pulumi up -s prod-2"],
  ["momentums of the new host", done, adopted, "./pillar-host retire prod --successor prod-2"],
  ["a host of last year's migration", done, { state: after(produces) }, "./pillar-host retire prod --successor prod-2"],
  ["a retirement that ended early", done, retiring({ isOff: false }), "pulumi up -s prod"],
  ["an old host that may go", done, retiring(), "pulumi destroy -s prod"],
] as const)("decides the next command for %s: %#", (_, fresh, old, line) => {
  expect(lineOf(at(fresh, old))).toBe(line);
});

test("marks final steps, and those that check rehearses", () => {
  expect(at({ isMoveConfigured: true }, adopted)).toMatchObject({ isFinal: true, isCheckedFirst: true });
  expect(at({ isMoveConfigured: true, state: after() }, adopted)).toMatchObject({ isFinal: true });
  expect(at(done, retiring())).toMatchObject({ command: "destroy", isFinal: true });
  expect(at({ state: nothing }, undefined)).toMatchObject({ isCheckedFirst: true, isFinal: false });
  expect(at(done, adopted)).not.toHaveProperty("isFinal");
});

test("asks before a run that may move the orchestrator back, and waits for the sync before a move", () => {
  const back = { ...moved, isRollbackConfigured: true };
  expect(at({ ...back, held: [{ lock, holder: "gone" }] }, adopted)).toMatchObject({
    command: "resume",
    isFinal: true,
  });
  expect(at(back, adopted).kind).toBe("stop");
  const behind = { synced: false, known: true, why: "at 9 of 10" };
  expect(at({ isMoveConfigured: true, node: behind }, adopted)).toMatchObject({ kind: "wait", key: "not synced" });
});

test("moves the orchestrator before the wallet, even if the old stack retires too early", () => {
  const early = {
    ...retiring({ isOff: false, orchestrator: "signs" }),
    parts: parts("earlier", { orchestrator: "signs" }),
  };
  expect(lineOf(at({}, early))).toBe("./pillar-host move prod-2 --from prod");
});

test("stops if orchestrators run on both hosts, and continues if the old one is idle", () => {
  const here = { parts: parts("earlier", { orchestrator: "signs" }) };
  const there = (kind: string) => ({ ...adopted, parts: parts("earlier", { orchestrator: kind }) });
  for (const kind of ["signs", "second", "silent"]) expect(at(here, there(kind)).kind, kind).toBe("stop");
  for (const kind of ["unfenced", "waits", "stopped"]) expect(at(here, there(kind)).kind, kind).toBe("wait");
});

test("asks before a run of the old stack that may move an orchestrator", () => {
  expect(at({}, { ...adopted, state: after(), isMoveConfigured: true })).toMatchObject({
    stack: "prod",
    isFinal: true,
  });
});

test("continues an interrupted run, and asks if it may move the orchestrator", () => {
  const held = [{ lock, holder: "gone" as const }];
  expect(at({ held }, undefined)).toMatchObject({ line: "./pillar-host resume prod-2", isFinal: false });
  expect(at({ held, isMoveConfigured: true }, adopted)).toMatchObject({ command: "resume", isFinal: true });
  expect(at({}, { ...adopted, held })).toMatchObject({ line: "./pillar-host resume prod" });
});

test.each([
  ["a run is at work", { held: [{ lock, holder: "lives" as const }] }, adopted, /a run is at work on prod-2/],
  ["a run is at work on the old stack", {}, { ...adopted, held: [{ lock, holder: "lives" as const }] }, /on prod \(/],
  ["the wallet", {}, adopted, /In the wallet/],
  [
    "the node is not synced",
    { node: { synced: false, known: true, why: "at 9 of 10" } },
    adopted,
    /Do not touch the wallet/,
  ],
  [
    "the chain is silent",
    { parts: createUnknownParts("active", "no answer") },
    adopted,
    /registration can't be read now: no answer/,
  ],
  ["a slip in the wallet", { parts: parts("foreign") }, adopted, /z1qslip is registered now[\s\S]*address z1q/],
  ["registered", { parts: parts("registered") }, adopted, /waits for its first momentum/],
  ["registered, and late", { parts: parts("registered", { isLate: true }) }, adopted, /first momentum is late/],
  [
    "the old host is silent",
    {},
    { ...adopted, parts: createUnknownParts("adopted", "no answer") },
    /unknown whether the host of prod runs an orchestrator: no answer/,
  ],
  ["the rewards", done, retiring({ destroy: ["rewards lie there"] }), /needed: collect them/],
  ["a retired host is silent", done, { ...retiring(), parts: undefined }, /docs\/retiring.md/],
] as const)("waits: %s", (_, fresh, old, text) => {
  const step = at(fresh, old);
  expect(step.kind).toBe("wait");
  expect("lines" in step ? step.lines.join("\n") : "").toMatch(text);
});

test.each([
  ["registered too early", { parts: parts("tooEarly") }, adopted],
  ["registered elsewhere again", { parts: parts("earlier", { wasOurs: true }) }, adopted],
  ["the new stack is an old host's", { lifecycle: "adopted" as const }, adopted],
  ["no address of the old host", { oldHost: undefined }, undefined],
  [
    "a move that was taken back",
    { isMoveConfigured: true, state: after({ ...offered, orchestratorHost: "old" }) },
    adopted,
  ],
])("stops: %s", (_, fresh, old) => {
  expect(at(fresh, old).kind).toBe("stop");
});

test("is done once nothing is left of the old stack", () => {
  expect(at(done, { lifecycle: "retiring", state: nothing }).kind).toBe("done");
});
