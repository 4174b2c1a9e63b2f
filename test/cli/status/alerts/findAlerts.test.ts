import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countMissed, findAlerts, type MomentumCounts } from "../../../../cli/status/alerts/findAlerts.ts";
import type { ReadStack } from "../../../../cli/status/stackView.ts";
import { findUnknownSporks, parseSporks } from "../../../../core/chain/sporks.ts";
import type { NodeFacts } from "../../../../core/host/nodeFacts.ts";
import {
  clock,
  createUnknownParts,
  healthyFacts as facts,
  partsOf,
  progress,
  registrations,
  viewOf,
} from "../../exampleView.ts";

type MissedMomentums = NonNullable<ReturnType<typeof countMissed>["missed"]>;

/** Returns the lookup of a healthy stack long after the move, with changes. */
const look = (changes: Parameters<typeof viewOf>[0] = {}, others: Partial<ReadStack> = {}): ReadStack => ({
  view: viewOf({
    ...{ synced: true, sync: progress({ good: true }), locks: [], facts, parts: partsOf(registrations.producing) },
    ...changes,
  }),
  exitCode: 0,
  ...others,
});
const withParts = (
  ...[changes, registration = registrations.producing]: [Parameters<typeof partsOf>[1], Parameters<typeof partsOf>[0]?]
) => look({ parts: partsOf(registration, changes) });
const withFact = (changed: Partial<NodeFacts>) => look({ facts: { ...facts, ...changed } });
const peers = (count?: number) => ({ node: { rpc: "127.0.0.1:35997", p2pPort: 35995, peers: count } as never });
const silent = progress({ observation: { kind: "none", reason: "ECONNREFUSED" } });
const silentSigner = { kind: "silent", text: "it is", isWrong: true } as const;
const noSigner = { kind: "cutOff", text: "NO HOST SIGNS since 07:29", isWrong: true } as const;
const shut = { active: false, masked: true, wasShutDown: true } as const;
const unit = (files: number, name = "go-zenon") => ({ name, restarts: 0, files, limit: 1024 });
const full = { at: "/root/.znn", size: 264_200_000, free: 5_000_000 };
const rule = { port: 35997, what: "the node's RPC", wanted: "closed", listens: true, seen: "open" } as const;
const id = "ab".repeat(32);
const sporks = parseSporks({ list: [{ id, name: "x", activated: false, enforcementHeight: 0 }] });
const unknown = createUnknownParts("active", "no answer");
const away = look(
  { parts: unknown, facts: undefined, sync: undefined, synced: false },
  { exitCode: 2, problem: { what: "203.0.113.7 could not be reached: x", needed: "y" } },
);

const gap = {
  fromHeight: 9,
  leastVersion: "v0.0.10",
  why: "x",
  release: "y",
  found: "v0.0.8",
  expectedAt: Date.now() + 4 * 86_400_000,
};

const none = { missed: 0, inARow: 0 };
const find = (one: ReadStack, missed: MissedMomentums | undefined = none) => findAlerts(one, missed, clock);

test("raises no alert for a healthy stack, a first sync and a stack without a run", () => {
  expect(find(look())).toEqual({ alerts: {}, unknown: [] });
  const firstSync = { ...facts, done: { packages: "x", deployed: "x" } };
  expect(find(look({ synced: false, sync: progress(), facts: firstSync, parts: partsOf() })).alerts).toEqual({});
  const noRun = look({ state: { isBegun: false, pending: [], last: { finished: false } }, parts: unknown });
  expect(find(noRun)).toEqual({ alerts: {}, unknown: [] });
});

test.each<[string, ReadStack, RegExp, MissedMomentums?]>([
  ["missed", look(), /at least 3 momentums/, { missed: 3, inARow: 0 }],
  ["producing", look(), /missed its last 3/, { missed: 0, inARow: 3 }],
  ["producing", withParts({}, registrations.registered), /missed its last 4/, { missed: 0, inARow: 4 }],
  ["registration:tooEarly", withParts({}, registrations.tooEarly), /is not synced$/],
  ["registration:foreign", withParts({}, registrations.foreign), /an unknown address$/],
  ["registration:earlier", withParts({}, registrations.wentBack), /an earlier address again$/],
  ["disk", withFact({ disk: full }), /5\.1 of 270\.5 GB free at \/root\/\.znn$/],
  ["disk", withFact({ disk: { ...full, free: 200e6, inodes: 999 } }), /204\.8 of .*znn, 999 inodes free$/],
  ["boot", withFact({ service: { ...facts.service, isDisabled: true } as never }), /no boot of the host starts/],
  ["peers", withFact(peers(0)), /no peers/],
  ["killed", withFact({ killed: "Killed process 7" }), /killed a process for lack of memory: Killed process 7$/],
  ["files:go-zenon", withFact({ units: [unit(820), unit(819, "orchestrator")] }), /820 of at most 1024 files/],
  ["clock", withFact({ clock: { now: "x", isKept: false } }), /clock/],
  ["host", away, /^203\.0\.113\.7 could not be reached: x$/],
  ["node", withParts({ node: { value: { active: false, masked: false } } }), /does not run/],
  ["node", look({ synced: false, sync: silent }), /does not answer: ECONNREFUSED/],
  ["sync", look({ synced: false, sync: progress() }), /81\.7 %/],
  ["signer:silent", withParts({ orchestrator: { value: silentSigner } }), /: it is/],
  ["signer:cutOff", withParts({ orchestrator: { value: noSigner } }), /: NO HOST SIGNS since 07:29$/],
  ["port:35997", withParts({ ports: { value: [rule] } }), /is open to this machine, and should be closed$/],
  ["crontab", withParts({ hourlyRestart: { value: "on" } }), /every hour/],
  ["mask", withParts({ node: { value: { ...shut, masked: false } } }, registrations.foreign), /not masked/],
  [`spork:${id}`, withParts({ sporks: { value: { unknown: findUnknownSporks(sporks, "v0.0.4") } } }), /is announced/],
  ["version:v0.0.10", withParts({ versions: { value: [gap] } }), /v0\.0\.10 or newer/],
])("raises the alert %s: %#", (key, one, text, missed) => {
  expect(find(one, missed).alerts).toEqual({ [key]: expect.stringMatching(text) });
});

const ofNode = [
  "node",
  "sync",
  "registration",
  "producing",
  "missed",
  "disk",
  "peers",
  "clock",
  "killed",
  "files",
  "port",
];
const kinds = ["refusal", "signer", "crontab", "mask", "spork", "version", "boot", ...ofNode];

test("the documents name each kind of alert", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../../docs/unattended.md"), "utf8");
  const [, list = ""] = /A problem that\s+can't be seen is not over\.\n\n((?:- .*\n)+)/.exec(text) ?? [];
  const words = new Map(
    Object.entries({
      producing: "not producing",
      missed: "missed momentums",
      signer: "orchestrator",
      port: "ports",
      killed: "memory",
      stalled: "stall",
      filling: "disk",
    }),
  );
  const named = list.split("\n").flatMap((line) => line.slice(2).split(":")[0]?.toLowerCase().split(", ") ?? []);
  for (const kind of ["host", "stalled", "filling", "restarts", ...kinds])
    expect(named.map((each) => each.replace(/ silent$/, ""))).toContain(words.get(kind) ?? kind);
});

test("lists kinds that a lookup could not check as unknown", () => {
  expect(find(away).unknown.map((kind) => kind)).toEqual(kinds);
  expect(find(withFact(peers())).unknown).toEqual(["peers"]);
  expect(find(look({ synced: false, sync: silent })).unknown).toEqual(["sync"]);
  expect(findAlerts(look(), undefined, clock).unknown).toEqual(["producing", "missed"]);
});

test.each([1, 2])("a node that inserts a momentum in state %i neither loses nor regains its sync", (state) => {
  const at = (missing: number) => {
    const info = { state, currentHeight: 20_021 - missing, targetHeight: 20_021 };
    return look({ synced: false, sync: progress({ observation: { kind: "answer", info, nodeTime: 0 } }) });
  };
  expect(find(at(1))).toEqual({ alerts: {}, unknown: ["sync"] });
  expect(Object.keys(find(at(3)).alerts)).toEqual(["sync"]);
});

test("silent witnesses neither raise nor clear the alert of a lost sync", () => {
  const unwitnessed = progress({ why: { kind: "unwitnessed", text: "no witness" } });
  expect(find(look({ synced: false, sync: unwitnessed }))).toEqual({ alerts: {}, unknown: ["sync"] });
});

test("checks only mask, orchestrator and host after a retirement", () => {
  const parts = partsOf(registrations.foreign, { node: { value: shut } });
  const changes = { lifecycle: "retiring", synced: false, sync: silent, facts: { ...facts, ...peers(0) } } as const;
  expect(find(look({ ...changes, parts }))).toEqual({ alerts: {}, unknown: [] });
});

/** Compares the counts [expected, produced] of several lookups. Returns the last result. */
const after = (...looks: readonly (readonly [number, number])[]) => {
  let before: MomentumCounts | undefined;
  let missed: MissedMomentums | undefined;
  for (const [expected, produced] of looks) ({ counts: before, missed } = countMissed(before, { expected, produced }));
  return missed && [missed.missed, missed.inARow];
};

test.each<[string, readonly [number, number] | undefined, ...(readonly [number, number])[]]>([
  ["ignore a single count", [0, 0], [30, 12]],
  ["ignore the slots of the running tick", [0, 0], [10, 9], [11, 10], [12, 11]],
  ["are unknown by a repeated count", undefined, [10, 7], [10, 7]],
  ["include momentums that were expected a tick ago", [3, 0], [10, 7], [11, 7]],
  ["stay missed after later momentums", [3, 0], [10, 7], [11, 7], [12, 8]],
  ["form a row since the last momentum", [3, 3], [10, 10], [11, 10], [13, 10], [14, 10]],
  ["end a row with the next momentum", [2, 0], [10, 10], [13, 10], [14, 11]],
  ["are unknown by the older answer of another node", undefined, [10, 9], [9, 8]],
  ["start again in another epoch", [0, 0], [80, 70], [81, 70], [1, 0]],
])("missed momentums by counts that are minutes old %s", (_what, missed, ...looks) =>
  expect(after(...looks)).toEqual(missed),
);
