import { expect, test } from "vitest";
import type { StatusParts } from "../../../cli/status/parts/statusParts.ts";
import { decideNextStep } from "../../../core/journey/decideNextStep.ts";
import { decideMigration } from "../../../core/journey/migration.ts";
import type { LastRun, OrchestratorOutput } from "../../../core/journey/outputs.ts";
import { createSettings, type StackFacts } from "../../../core/journey/stackFacts.ts";
import { createUnknownParts, type StepSettings, stepConfig } from "../../cli/exampleView.ts";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const lock = { user: "ada", host: "laptop", pid: 42, since: Date.parse("2026-11-22T10:00:00Z") };
const registered = (registered: boolean, producing: boolean) => ({
  registration: { state: "earlier" as const, registered, producing },
});
const offered: LastRun = { finished: true, producerAddress: address, ...registered(false, false) };
const produces: LastRun = { ...offered, ...registered(true, true) };
const signsOn = (side: string) => ({ ...offered, orchestrator: { side } as OrchestratorOutput });
const unfinishedRun: LastRun = { finished: false };
const nothing = { state: { isBegun: false, pending: [], last: unfinishedRun } };
const after = (last = unfinishedRun): { state: NonNullable<StackFacts["state"]> } => ({
  state: { isBegun: true, pending: [], last },
});
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
    registration: {
      value: { kind, address: "z1qslip", notes: [], wasOurs, since: 0, switched: { height: 77, at: 0 } },
    },
    orchestrator: { value: { kind: orchestrator, text: "", isWrong: false } },
    destroy: { value: destroy.map((what) => ({ loss: "rewards", kind: what, what, needed: "collect them" })) },
  } as unknown as StatusParts,
});
const silent = { parts: createUnknownParts("active", "no answer") };
const behind = { node: { synced: false, known: true, why: "at 9 of 10" } };
const living = { locks: [{ lock, holder: "lives" as const }] };
const killed = { locks: [{ lock, holder: "gone" as const }] };

type Changes = Partial<StackFacts> & StepSettings;
const stackAt = (stack: string, changes: Changes): StackFacts => ({
  stack,
  pillar: "Anvil",
  lifecycle: "active",
  settings: createSettings(stepConfig(changes)),
  ...after(offered),
  locks: [],
  node: { synced: true, known: true, why: "synced" },
  ...parts("earlier"),
  ...changes,
});
const adopted: Changes = { lifecycle: "adopted", ...after(offered) };
const hasSigner = (kind = "signs") => parts("earlier", { orchestrator: kind });
const move: Changes = { move: true };
const moved: Changes = { ...move, ...after(signsOn("new")) };
const done: Changes = { ...after(produces), ...parts("producing") };
const retiring = (changes: PartChanges = {}): Changes => ({
  lifecycle: "retiring",
  ...after(offered),
  ...parts("producing", { isOff: true, ...changes }),
});

const at = (fresh: Changes | undefined, old: Changes | undefined) =>
  decideMigration({
    ...{ old: "prod", fresh: "prod-2" },
    freshStack: fresh && stackAt("prod-2", fresh),
    oldStack: old && stackAt("prod", old),
  });
const lineOf = ({ step }: ReturnType<typeof at>) => (step.kind === "run" ? step.line : step);

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
  ["an address that no run offered yet", after({ ...offered, producerAddress: undefined }), adopted, upFresh],
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
  [{}, undefined, { command: "adopt", isHarmless: true }],
  [parts("producing"), adopted, { command: "up", isHarmless: true }],
  [nothing, undefined, { command: "up", isCheckedFirst: true, isFinal: false }],
  // The preview shows the server's price.
  [{ ...nothing, provider: "hetzner" }, undefined, { command: "up", isCheckedFirst: true, isFinal: true }],
  [{ ...unfinished, provider: "hetzner" }, undefined, { command: "up", isFinal: true }],
  [{ ...ordered, provider: "hetzner" }, undefined, { command: "up", isFinal: false }],
])("marks final steps, and those that check rehearses: %#", (fresh, old, step) => {
  expect(at(fresh, old).step).toMatchObject(step);
});

const decide = (changes: Changes) => decideNextStep(stackAt("prod-2", changes));
const cutOff = { since: Date.parse("2026-11-30T07:29:20Z"), stack: "prod-2", stage: "fenced" as const };
const noSigner = {
  parts: {
    ...parts("earlier").parts,
    orchestrator: { value: { kind: "cutOff" as const, text: "", isWrong: true, cutOff } },
  },
};

test.each<[string, Changes, Changes]>([
  ["the new host", { ...move, ...unfinished, ...noSigner }, adopted],
  ["the old host", { ...move, ...unfinished }, { ...adopted, ...noSigner }],
  ["the new host of a killed run", { ...move, ...killed, ...noSigner }, adopted],
])("continues a move before anything else if no host signs by what %s says", (_, fresh, old) => {
  const { step, lines, before } = at(fresh, old);
  expect(before).toBe("noSigner");
  expect(step).toMatchObject({ command: "resume", stack: "prod-2", isFinal: true });
  expect(lines).toEqual([
    "The move was cut off while NO host signs: the bridge lacks this orchestrator",
    "since 2026-11-30 07:29:20 UTC. Continue now, it takes seconds:",
    "  ./pillar-host resume prod-2",
  ]);
});

test("raises the alarm in the stage and what it needs, but not beside a run that is at work", () => {
  expect(decide({ ...done, ...noSigner })).toMatchObject({
    needs: "attention",
    title: "NO HOST SIGNS since 2026-11-30 07:29 UTC (the move was cut off)",
    next: "./pillar-host resume prod-2",
  });
  expect(decide({ ...done, ...noSigner, ...living }).before).toBe("activeRun");
});

const runsOnOld = (is: boolean | undefined, kind = "earlier") => ({
  parts: {
    ...parts(kind).parts,
    orchestrator: { value: { kind: "none" as const, text: "", isWrong: false, runsOnOld: is } },
  },
});
const known = { old: { stack: "prod", isReleased: false } };
const missing = { old: { stack: undefined, isReleased: false } };

test.each<[string, Changes, string, boolean]>([
  ["the old host's stack", { ...runsOnOld(true), ...known }, takeMove, true],
  ["no such stack", { ...runsOnOld(true), ...missing }, "./pillar-host adopt OLD 198.51.100.9 --like prod-2", true],
  ["a wallet that was updated too early", { ...runsOnOld(true, "registered"), ...known }, takeMove, false],
])("moves an orchestrator that runs on the old host before the wallet, with %s", (_, changes, line, isEarly) => {
  const decision = decide(changes);
  expect(decision).toMatchObject({ before: "orchestrator", isAddressOffered: false, step: { kind: "run", line } });
  expect(decision.next).toBe(`${isEarly ? "do not update the wallet yet; " : ""}the orchestrator moves first: ${line}`);
  expect(decision.lines[0]).toBe("Next: move the orchestrator. It runs on the old host (198.51.100.9).");
  expect(decision.lines).toContain(`  ${line}`);
  expect(decision.lines.join()).not.toContain("producer address field");
  expect(decision.lines.join().includes("Change nothing in the wallet")).toBe(isEarly);
});

test("offers the wallet once no orchestrator is left on the old host, and asks for adoption only once", () => {
  const [adoptFirst, stepZero] = ["First adopt the old host", "  0. If the old host runs"];
  const lines = (changes: Changes) => decide(changes).lines.join("\n");
  for (const is of [false, undefined]) {
    expect(lines({ ...runsOnOld(is), ...known })).toContain(`field: ${address}`);
    expect(lines({ ...runsOnOld(is), ...known })).not.toContain(adoptFirst);
    expect(lines({ ...runsOnOld(is), ...missing })).toContain(adoptFirst);
    expect(lines({ ...runsOnOld(is), ...known }).includes(stepZero)).toBe(is === undefined);
  }
  expect(lines({ ...runsOnOld(undefined), ...known })).toContain(`move it here first:\n     ${takeMove}`);
});

test("says what is left to do after the migration, and retires the old host's stack by its name before", () => {
  const over = decide({
    ...move,
    ...after({ ...signsOn("new"), ...registered(true, true) }),
    ...parts("producing"),
    old: { stack: undefined, isReleased: true },
  });
  expect(over.next).toBe("nothing to do: the old host is given up");
  expect(over.lines.join("\n")).toContain(
    "Done: Anvil produces here; the old host (198.51.100.9) is given up. Left for you:",
  );
  expect(over.lines.join("\n")).toMatch(
    /Left for you:[\s\S]*Keep a copy of the key of the backups[\s\S]*health page[\s\S]*Give it one of the new\naddress/,
  );
  expect(over.lines.join("\n")).not.toMatch(/shut it down|Leave the orchestrator on the old host/);
  const before = decide({ ...done, ...known });
  expect(before.lines).toContain(`  ${retire}`);
  expect(before.next).toContain(retire);
});

test("does not call a run cut off whose creation a later run repeated, and says how to end the engine's warning", () => {
  const withPending = (...pending: { isRepeated?: true }[]) => ({ state: { ...after(produces).state, pending } });
  const { before, lines } = decide({ ...done, ...withPending({ isRepeated: true }) });
  expect(before).toBeUndefined();
  expect(lines).toContain("To end pulumi's warning of pending operations: ./pillar-host resume prod-2");
  expect(decide({ ...done, ...withPending({ isRepeated: true }, {}) }).before).toBe("cutOffRun");
  expect(decide(done).lines.join()).not.toContain("pending operations");
});

test("asks before the old node's shutdown, also if it ended early", () => {
  expect(at(done, adopted).step).toMatchObject({ command: "retire", isFinal: true });
  expect(at(done, retiring({ isOff: false })).step).toMatchObject({ command: "up", isFinal: true });
});

test.each<[string, Changes, Changes, RegExp]>([
  ["a run is at work", living, adopted, /a run is at work on prod-2/],
  ["a run is at work on the old stack", {}, { ...adopted, ...living }, /on prod \(/],
  ["the wallet", {}, adopted, /Producer address field: z1qqjn/],
  ["the node is not synced", behind, adopted, /Do not touch the wallet/],
  ["the node is not synced before a move", { ...move, ...behind }, adopted, /Do not touch the wallet/],
  ["the chain is silent", silent, adopted, /registration can't be read now: no answer/],
  ["a slip in the wallet", parts("foreign"), adopted, /WARNING: Anvil is registered with z1qslip[\s\S]*field: z1qqjn/],
  ["registered", parts("registered"), adopted, /no momentum with it yet/],
  ["the old host is silent", {}, { ...adopted, ...silent }, /whether the host of prod runs an orchestrator: no answer/],
  [
    "an idle orchestrator on the old host",
    hasSigner(),
    { ...adopted, ...hasSigner("waits") },
    /Producer address field: z1qqjn/,
  ],
  ["the rewards", done, retiring({ destroy: ["rewards lie there"] }), /needed: collect them/],
  ["a retired host is silent", done, { ...retiring(), parts: undefined }, /docs\/retiring.md/],
])("waits: %s", (_, fresh, old, text) => {
  const { step, lines } = at(fresh, old);
  expect(step.kind).toBe("wait");
  expect(lines.join("\n")).toMatch(text);
});

test.each<[string, Changes, Changes | undefined]>([
  ["registered too early", { ...parts("tooEarly"), ...behind }, adopted],
  ["a name that no Pillar has", parts("unknownPillar"), undefined],
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
  expect(at(fresh, old).step.kind).toBe("stop");
});

test("is done once nothing is left of the old stack", () => {
  expect(at(done, { lifecycle: "retiring", ...nothing }).step.kind).toBe("none");
});

test("puts what to do about the orchestrator, and the way to move it again, below a step that is stopped", () => {
  const orchestrator = { side: "old", address: "198.51.100.9", why: "moved", attempt: 1, rpcPort: 55000 };
  const { lines } = at({ ...move, ...after({ ...offered, orchestrator }) }, adopted);
  expect(lines.at(-1)).toMatch(/orchestrator.attempt 2 -s prod-2 && pulumi up -s prod-2$/);
});

/** Returns what `next` prints for a stack. */
const linesAt = (changes: Changes) => decideNextStep(stackAt("prod-2", changes)).lines;
const startedAt = "2026-11-22T10:00:00Z";
const withWait = (syncedAt?: string) => ({ state: { ...unfinished.state, wait: { startedAt, syncedAt } } });
const awaiting: LastRun = { finished: false, isAwaiting: true };

test("names an active run, whatever the last one printed", () => {
  expect(linesAt(living)).toEqual([
    "Nothing to do: a run is at work on prod-2 (process 42 of ada on laptop, since 2026-11-22 10:00 UTC).",
    "To follow that run: ./pillar-host status prod-2 --watch",
  ]);
});

test("names the orchestrator's move, and no address, once a move is configured", () => {
  expect(linesAt(move)).toEqual([
    "The orchestrator moves in the next run. Run it now, and watch it:",
    "  pulumi up -s prod-2",
    "Update the wallet after that run. Its last lines tell you what to do in the wallet for Anvil.",
  ]);
});

test.each([
  [{ synced: false, known: true, why: "at 9 of 10" }, "not synced now (at 9 of 10)"],
  [{ synced: false, known: false, why: "no answer" }, "not reachable now (no answer)"],
])("offers an address only while the node is synced: %j", (node, said) => {
  expect(linesAt({ node })).toEqual([
    `Do not touch the wallet: the node of Anvil is ${said}.`,
    "The node was synced before; an address that is registered while its node is behind earns nothing.",
    "Look again with: pulumi up -s prod-2",
  ]);
});

test.each<[Changes, string | RegExp]>([
  [killed, "  ./pillar-host resume prod-2"],
  [{ locks: undefined, state: { ...unfinished.state, pending: [{}] } }, /resume prod-2$/],
  [nothing, "  ./pillar-host check prod-2"],
  [{ ...nothing, lifecycle: "adopted" }, "  ./pillar-host check prod-2"],
  [nothing, /You may close the terminal/],
  [{ ...nothing, lifecycle: "retiring" }, /^prod-2 has no resources.* \.\/pillar-host report prod-2$/],
  [withWait(), /^The node is syncing, and no run waits/],
  [after(awaiting), /^The node is syncing, and no run waits/],
  [withWait(startedAt), /did not finish/],
  [unfinished, /did not finish/],
  [{ ...unfinished, ...parts("tooEarly"), ...behind }, /The way back, while the old host runs/],
  [after({ ...offered, producerAddress: undefined }), /pulumi up -s prod-2 shows the producer address/],
])("says how to continue: %j", (changes, line) => {
  expect(linesAt(changes)).toContainEqual(typeof line === "string" ? line : expect.stringMatching(line));
});
