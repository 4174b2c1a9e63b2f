import { expect, test } from "vitest";
import { decideMigrationStep, type MigrationStack, type MigrationStep } from "../../../cli/next/migrationStep.ts";
import { decideNextStep } from "../../../cli/next/next.ts";
import type { StackState } from "../../../cli/pulumi/stackState.ts";
import { createUnknownParts, type StatusParts } from "../../../cli/status/parts/statusParts.ts";
import type { LastRun, OrchestratorOutput } from "../../../core/journey/outputs.ts";
import { type StepSettings, stepConfig } from "../exampleView.ts";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const clicks = ["In the wallet:", `  3. Paste this: ${address}`];
const lock = { user: "ada", host: "laptop", pid: 42, since: Date.parse("2026-11-22T10:00:00Z") };
const registered = (registered: boolean, producing: boolean, offered = false) => ({
  registration: { state: "earlier" as const, registered, producing, offered },
});
const offered: LastRun = {
  finished: true,
  nextStep: clicks,
  producerAddress: address,
  ...registered(false, false, true),
};
const notOffered = { ...offered, ...registered(false, false) };
const produces: LastRun = { ...offered, ...registered(true, true) };
const signsOn = (side: string) => ({ ...offered, orchestrator: { side } as OrchestratorOutput });
const unfinishedRun: LastRun = { finished: false };
const nothing = { state: { isBegun: false, pending: [], last: unfinishedRun } };
const after = (last = unfinishedRun): { state: StackState } => ({ state: { isBegun: true, pending: [], last } });
const unfinished = after();
const ordered = { state: { ...after().state, recordedKey: { address: "203.0.113.9", hostKey: "ssh-ed25519 AAAA" } } };

interface PartChanges {
  readonly orchestrator?: string;
  readonly destroy?: readonly string[];
  readonly isOff?: boolean;
  readonly wasOurs?: boolean;
}
const parts = (
  kind: string,
  { orchestrator = "none", destroy = [], isOff = false, wasOurs = false }: PartChanges = {},
) => ({
  parts: {
    ...createUnknownParts("active", "not asked"),
    node: { value: { active: !isOff, masked: isOff } },
    registration: { value: { kind, address: "z1qslip", notes: [], wasOurs, since: 0 } },
    orchestrator: { value: { kind: orchestrator, text: "", isWrong: false } },
    destroy: { value: destroy.map((what) => ({ loss: "rewards", kind: what, what, needed: "collect them" })) },
  } as unknown as StatusParts,
});
const silent = { parts: createUnknownParts("active", "no answer") };
const behind = { node: { synced: false, known: true, why: "at 9 of 10" } };
const living = { held: [{ lock, holder: "lives" as const }] };
const killed = { held: [{ lock, holder: "gone" as const }] };

type Changes = Partial<MigrationStack> & StepSettings;
const stackAt = (stack: string, changes: Changes): MigrationStack => ({
  stack,
  config: stepConfig(changes),
  ...after(offered),
  held: [],
  node: { synced: true, known: true, why: "synced" },
  ...parts("earlier"),
  ...changes,
});
const adopted: Changes = { lifecycle: "adopted", ...after(notOffered) };
const hasSigner = (kind = "signs") => parts("earlier", { orchestrator: kind });
const move: Changes = { move: true };
const moved: Changes = { ...move, ...after(signsOn("new")) };
const done: Changes = { ...after(produces), ...parts("producing") };
const retiring = (changes: PartChanges = {}): Changes => ({
  lifecycle: "retiring",
  ...after(notOffered),
  ...parts("producing", { isOff: true, ...changes }),
});

const at = (fresh: Changes | undefined, old: Changes | undefined) =>
  decideMigrationStep({
    ...{ old: "prod", fresh: "prod-2" },
    freshStack: fresh && stackAt("prod-2", fresh),
    oldStack: old && stackAt("prod", old),
  });
const lineOf = (step: MigrationStep) => (step.kind === "run" ? step.line : step);

const adopt = "./pillar-host adopt prod 198.51.100.9 --like prod-2";
const [upOld, upFresh] = ["pulumi up -s prod", "pulumi up -s prod-2"];
const takeMove = "./pillar-host move prod-2 --from prod";
const retire = "./pillar-host retire prod --successor prod-2";
test.each<[string, Changes | undefined, Changes | undefined, string]>([
  ["no new stack", undefined, undefined, "./pillar-host init prod-2"],
  ["nothing made", nothing, undefined, upFresh],
  ["a run that ended early", unfinished, undefined, upFresh],
  ["a run that was killed", killed, undefined, "./pillar-host resume prod-2"],
  ["a run of the old stack that was killed", {}, { ...adopted, ...killed }, "./pillar-host resume prod"],
  ["synced, no old stack", {}, undefined, adopt],
  ["an adoption without its run", {}, { ...adopted, ...nothing }, adopt],
  ["an adoption that ended early", {}, { ...adopted, ...unfinished }, upOld],
  ["an orchestrator on the old host", {}, { ...adopted, ...hasSigner() }, takeMove],
  ["the same, with a retirement too early", {}, { ...retiring(), ...hasSigner() }, takeMove],
  ["a move that is configured", move, adopted, upFresh],
  [
    "a first move that is over",
    { ...moved, firstMove: "acknowledged" },
    adopted,
    "pulumi config rm --path pillar-host:orchestrator.firstMove -s prod-2",
  ],
  ["an address that no run offered yet", after(notOffered), adopted, upFresh],
  ["momentums that no run saw", parts("producing"), adopted, upFresh],
  ["momentums of the new host", done, adopted, retire],
  ["a host of last year's migration", done, after(produces), retire],
  ["a retirement that ended early", done, retiring({ isOff: false }), upOld],
  ["an old host that may go", done, retiring(), "pulumi destroy -s prod"],
])("decides the next command for %s", (_, fresh, old, line) => {
  expect(lineOf(at(fresh, old))).toBe(line);
});

test.each<[Changes, Changes | undefined, object]>([
  [move, adopted, { command: "up", isFinal: true, isCheckedFirst: true }],
  [{ ...move, ...unfinished }, adopted, { command: "up", isFinal: true }],
  [{ ...moved, ...killed, rollback: true }, adopted, { command: "resume", isFinal: true }],
  [{ ...move, ...killed }, adopted, { command: "resume", isFinal: true }],
  [killed, undefined, { command: "resume", isFinal: false }],
  [{}, { ...adopted, ...unfinished, ...move }, { stack: "prod", command: "up", isFinal: true }],
  [done, retiring(), { command: "destroy", isFinal: true }],
  [nothing, undefined, { command: "up", isCheckedFirst: true, isFinal: false }],
  // The preview shows the server's price.
  [{ ...nothing, provider: "hetzner" }, undefined, { command: "up", isCheckedFirst: true, isFinal: true }],
  [{ ...unfinished, provider: "hetzner" }, undefined, { command: "up", isFinal: true }],
  [{ ...ordered, provider: "hetzner" }, undefined, { command: "up", isFinal: false }],
])("marks final steps, and those that check rehearses: %#", (fresh, old, step) => {
  expect(at(fresh, old)).toMatchObject(step);
});

test("lets a retirement run without a question", () => {
  expect(at(done, adopted)).not.toHaveProperty("isFinal");
});

test.each<[string, Changes, Changes, RegExp]>([
  ["a run is at work", living, adopted, /a run is at work on prod-2/],
  ["a run is at work on the old stack", {}, { ...adopted, ...living }, /on prod \(/],
  ["the wallet", {}, adopted, /In the wallet/],
  ["the node is not synced", behind, adopted, /Do not touch the wallet/],
  ["the node is not synced before a move", { ...move, ...behind }, adopted, /Do not touch the wallet/],
  ["the chain is silent", silent, adopted, /registration can't be read now: no answer/],
  ["a slip in the wallet", parts("foreign"), adopted, /z1qslip is registered now[\s\S]*address z1q/],
  ["registered", parts("registered"), adopted, /waits for its first momentum/],
  ["the old host is silent", {}, { ...adopted, ...silent }, /whether the host of prod runs an orchestrator: no answer/],
  ["an idle orchestrator on the old host", hasSigner(), { ...adopted, ...hasSigner("waits") }, /In the wallet/],
  ["the rewards", done, retiring({ destroy: ["rewards lie there"] }), /needed: collect them/],
  ["a retired host is silent", done, { ...retiring(), parts: undefined }, /docs\/retiring.md/],
])("waits: %s", (_, fresh, old, text) => {
  const step = at(fresh, old);
  expect(step.kind).toBe("wait");
  expect("lines" in step ? step.lines.join("\n") : "").toMatch(text);
});

test.each<[string, Changes, Changes | undefined]>([
  ["registered too early", parts("tooEarly"), adopted],
  ["registered elsewhere again", parts("earlier", { wasOurs: true }), adopted],
  ["the new stack is an old host's", { lifecycle: "adopted" }, adopted],
  ["no address of the old host", { oldHost: "" }, undefined],
  ["the names are swapped", done, parts("earlier")],
  ["a move that was taken back", { ...move, ...after(signsOn("old")) }, adopted],
  ["a way back that is configured", { ...moved, rollback: true }, adopted],
  ...["signs", "second", "silent"].map((kind): [string, Changes, Changes] => [
    `two orchestrators: ${kind}`,
    hasSigner(),
    { ...adopted, ...hasSigner(kind) },
  ]),
])("stops: %s", (_, fresh, old) => {
  expect(at(fresh, old).kind).toBe("stop");
});

test("is done once nothing is left of the old stack", () => {
  expect(at(done, { lifecycle: "retiring", ...nothing }).kind).toBe("done");
});

/** Returns the printed lines for a stack without parts. `offered`: the last run's outputs. */
const linesAt = ({
  offered: last = unfinishedRun,
  state,
  ...changes
}: Omit<Changes, "state"> & { offered?: LastRun; state?: Partial<StackState> } = {}) =>
  decideNextStep({
    ...stackAt("prod-2", { node: undefined, oldHost: "", ...changes }),
    state: { isBegun: true, pending: [], last, ...state },
  });

const synced = { node: { synced: true, known: true, why: "synced" } };
const startedAt = "2026-11-22T10:00:00Z";
const waits = { ...offered, ...registered(true, false), nextStep: ["No momentum carries it yet."] };

test.each<[string, Parameters<typeof linesAt>[0], readonly string[]]>([
  ["the last run's next step, unchanged", { offered, ...synced }, clicks],
  ["an address that is registered already", { offered: { ...offered, ...registered(true, true, true) } }, clicks],
  [
    "that a switch may have come since the last run",
    { offered: waits },
    ["Next step as of the last run (to check again: pulumi up -s prod-2):", "No momentum carries it yet."],
  ],
  ["lines without an address", { offered: { ...notOffered, nextStep: ["a move"] } }, ["a move"]],
  [
    "an active run, whatever the last run printed",
    { offered, held: [{ lock, holder: "lives" }] },
    [
      "Nothing to do: a run is at work on prod-2 (process 42 of ada on laptop, since 2026-11-22 10:00 UTC).",
      "To follow that run: ./pillar-host status prod-2 --watch",
    ],
  ],
])("prints %s", (_, situation, lines) => {
  expect(linesAt(situation)).toEqual(lines);
});

test.each([
  [{ synced: false, known: true, why: "at 9 of 10" }, "is not synced now (at 9 of 10)"],
  [{ synced: false, known: false, why: "no answer" }, "is not reachable now (no answer)"],
  [undefined, "was not asked"],
])("offers an address only while the node is synced: %j", (node, said) => {
  expect(linesAt({ offered, node })).toEqual([
    `Do not touch the wallet: the node of prod-2 ${said}.`,
    "The producer address is shown again once the node is synced:",
    "  pulumi up -s prod-2",
  ]);
});

test.each<[Parameters<typeof linesAt>[0], string | RegExp]>([
  [{ offered, held: [{ lock, holder: "gone" }] }, "  ./pillar-host resume prod-2"],
  [{ held: undefined, state: { pending: [{ operation: "creating", type: "t", name: "n" }] } }, /resume prod-2$/],
  [{ lifecycle: "active", state: { isBegun: false } }, "  ./pillar-host check prod-2"],
  [{ lifecycle: "adopted", state: { isBegun: false } }, "  ./pillar-host check prod-2"],
  [{ lifecycle: "active", state: { isBegun: false } }, /You may close the terminal/],
  [{ lifecycle: "retiring", state: { isBegun: false } }, /^prod-2 has no resources.* \.\/pillar-host report prod-2$/],
  [{ state: { wait: { startedAt } } }, /^The node is syncing, and no run waits/],
  [{ offered: { finished: false, isAwaiting: true } }, /^The node is syncing, and no run waits/],
  [{ state: { wait: { startedAt, syncedAt: startedAt } } }, /did not finish/],
  [
    { offered: { finished: false, isAwaiting: true }, state: { wait: { startedAt, syncedAt: startedAt } } },
    /did not finish/,
  ],
  [{}, /did not finish/],
])("says how to continue: %j", (situation, line) => {
  expect(linesAt(situation)).toContainEqual(typeof line === "string" ? line : expect.stringMatching(line));
});
