import { describe, expect, test } from "vitest";
import { findAlerts, type HostLookup } from "../../../../cli/status/alerts/findAlerts";
import { createUnknownParts } from "../../../../cli/status/parts/statusParts";
import { parseSporks, unknownSporks } from "../../../../core/chain/sporks";
import type { NodeHostFacts } from "../../../../core/ssh/hostFacts";
import { progress, viewOf } from "../../exampleView";
import { clock, partsOf, registrations } from "../parts/exampleParts";

const facts: NodeHostFacts = {
  done: { packages: "x", deployed: "x", synced: "x" },
  node: { rpc: "127.0.0.1:35997", p2pPort: 35995, peers: 8 },
  disk: { at: "/root/.znn", size: 264_200_000, free: 75_000_000 },
  clock: { now: "x", isKept: true },
  log: [],
};
type Changes = Parameters<typeof viewOf>[0];
/** A stack that is as it should be, long after the move, with these things instead. */
const look = (changes: Changes = {}, others: Partial<HostLookup> = {}): HostLookup => ({
  view: viewOf({
    synced: true,
    sync: progress({ good: true }),
    locks: [],
    facts,
    parts: partsOf(registrations.producing),
    ...changes,
  }),
  isReachable: true,
  problems: [],
  ...others,
});
const withParts = (
  ...[changes, registration = registrations.producing]: [Parameters<typeof partsOf>[1], Parameters<typeof partsOf>[0]?]
) => look({ parts: partsOf(registration, changes) });
const withFact = (changed: Partial<NodeHostFacts>) => look({ facts: { ...facts, ...changed } });
const peers = (count?: number) => ({
  node: { rpc: "127.0.0.1:35997", p2pPort: 35995, ...(count === undefined ? {} : { peers: count }) },
});
const silent = progress({ observation: { kind: "none", reason: "ECONNREFUSED" } });
const shut = { active: false, masked: true, wasShutDown: true } as const;
const rule = { port: 35997, what: "the node's RPC", wanted: "closed", listens: true, seen: "open" } as const;
const count = { expected: 14, produced: 10, dryFrom: 10 };

const keysOf = (one: HostLookup) => findAlerts(one, clock).alerts.map(({ key }) => key);

test("a stack that is as it should be, one that syncs for the first time, and one that is not begun give no sign", () => {
  expect(findAlerts(look(), clock)).toEqual({ alerts: [], unknown: [] });
  const firstSync = { ...facts, done: { packages: "x", deployed: "x" } };
  expect(keysOf(look({ synced: false, sync: progress(), facts: firstSync, parts: partsOf() }))).toEqual([]);
  expect(findAlerts(look({ state: { isBegun: false, pending: [] }, parts: undefined }), clock)).toEqual({
    alerts: [],
    unknown: [],
  });
});

describe("a sign", () => {
  test.each<[string, HostLookup, string[], RegExp]>([
    ["missed momentums", look({}, { counts: { ...count, missed: 3, inARow: 0 } }), ["missed"], /at least 3 momentums/],
    [
      "not producing, by the counts",
      look({}, { counts: { ...count, missed: 0, inARow: 3 } }),
      ["producing"],
      /none of its last 3/,
    ],
    [
      "not producing, long after the registration",
      withParts({}, registrations.late),
      ["producing"],
      /does not produce$/,
    ],
    ["registered too early", withParts({}, registrations.tooEarly), ["registration:tooEarly"], /is not synced$/],
    [
      "registered by somebody else",
      withParts({}, registrations.foreign),
      ["registration:foreign"],
      /an unknown address$/,
    ],
    [
      "gone back to another address",
      withParts({}, registrations.wentBack),
      ["registration:earlier"],
      /another address again$/,
    ],
    [
      "disk",
      withFact({ disk: { at: "/root/.znn", size: 264_200_000, free: 5_000_000 } }),
      ["disk"],
      /5\.0 of 264\.2 GB are free at \/root\/\.znn$/,
    ],
    ["peers", withFact(peers(0)), ["peers"], /no peers/],
    ["clock", withFact({ clock: { now: "x", isKept: false } }), ["clock"], /clock/],
    [
      "host silent",
      look(
        { parts: createUnknownParts("active", "no answer"), facts: undefined },
        { isReachable: false, problems: ["", "203.0.113.7 could not be reached: x", "needed"] },
      ),
      ["host"],
      /^203\.0\.113\.7 could not be reached: x$/,
    ],
    ["node off", withParts({ node: { value: { active: false, masked: false } } }), ["node"], /does not run/],
    ["node silent", look({ synced: false, sync: silent }), ["node"], /does not answer: ECONNREFUSED/],
    ["not synced any more", look({ synced: false, sync: progress() }), ["sync"], /81\.7 %/],
    [
      "orchestrator silent",
      withParts({ orchestrator: { value: { kind: "silent", text: "it is", isWrong: true } } }),
      ["signer:silent"],
      /its orchestrator: it is/,
    ],
    [
      "ports open",
      withParts({ ports: { value: [rule, { ...rule, port: 1, seen: "filtered" }] } }),
      ["port:35997"],
      /is open to this machine, and should be closed$/,
    ],
    ["crontab line back", withParts({ hourlyRestart: { value: "on" } }), ["crontab"], /every hour/],
    [
      "unit unmasked",
      look({
        lifecycle: "retiring",
        parts: partsOf(registrations.foreign, { node: { value: { ...shut, masked: false } } }),
      }),
      ["mask"],
      /not masked/,
    ],
    [
      "a spork that the node does not know",
      withParts({
        sporks: {
          value: {
            version: "v0.0.4",
            unknown: unknownSporks(
              parseSporks({ list: [{ id: "ab".repeat(32), name: "x", activated: false, enforcementHeight: 0 }] }),
              "v0.0.4",
            ),
          },
        },
      }),
      [`spork:${"ab".repeat(32)}`],
      /is announced/,
    ],
  ])("%s", (_what, one, keys, text) => {
    expect(keysOf(one)).toEqual(keys);
    expect(findAlerts(one, clock).alerts[0]?.text).toMatch(text);
  });
});

test("what a look can't tell is neither there nor gone", () => {
  const away = look(
    { parts: createUnknownParts("active", "no answer"), facts: undefined, sync: undefined, synced: false },
    { isReachable: false },
  );
  expect(findAlerts(away, clock).unknown).toEqual(
    expect.arrayContaining([
      ...["crontab", "mask", "spork", "signer", "node", "sync", "registration", "producing", "missed"],
      ...["disk", "peers", "clock", "port"],
    ]),
  );
  expect(findAlerts(withFact(peers()), clock).unknown).toEqual(["peers"]);
  expect(findAlerts(look({ synced: false, sync: silent }), clock).unknown).toEqual(["sync"]);
});

test.each([1, 2])(
  "a momentum that is being taken in, state %i, is neither a sync that was lost nor one that is back",
  (state) => {
    const at = (missing: number) => {
      const info = { state, currentHeight: 20_021 - missing, targetHeight: 20_021 };
      return look({ synced: false, sync: progress({ observation: { kind: "answer", info, nodeTime: 0 } }) });
    };
    expect(findAlerts(at(1), clock)).toEqual({ alerts: [], unknown: ["sync"] });
    expect(keysOf(at(3))).toEqual(["sync"]);
  },
);

test("of a node that is off for good nothing but its mask, its signer and its host is told", () => {
  const off = look({
    lifecycle: "retiring",
    synced: false,
    sync: silent,
    facts: { ...facts, ...peers(0) },
    parts: partsOf(registrations.foreign, { node: { value: shut } }),
  });
  expect(findAlerts(off, clock)).toEqual({ alerts: [], unknown: [] });
});
