import { describe, expect, test } from "vitest";
import { findAlerts, type HostLookup } from "../../../../cli/status/alerts/findAlerts";
import { createUnknownParts } from "../../../../cli/status/parts/statusParts";
import { findUnknownSporks, parseSporks } from "../../../../core/chain/sporks";
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
/** Returns the lookup of a healthy stack long after the move, with changes. */
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

test("raises no alert for a healthy stack, a first sync and a stack without a run", () => {
  expect(findAlerts(look(), clock)).toEqual({ alerts: [], unknown: [] });
  const firstSync = { ...facts, done: { packages: "x", deployed: "x" } };
  expect(keysOf(look({ synced: false, sync: progress(), facts: firstSync, parts: partsOf() }))).toEqual([]);
  expect(findAlerts(look({ state: { isBegun: false, pending: [] }, parts: undefined }), clock)).toEqual({
    alerts: [],
    unknown: [],
  });
});

describe("raises the alert", () => {
  test.each<[string, HostLookup, RegExp]>([
    ["missed", look({}, { counts: { ...count, missed: 3, inARow: 0 } }), /at least 3 momentums/],
    ["producing", look({}, { counts: { ...count, missed: 0, inARow: 3 } }), /missed its last 3/],
    ["producing", withParts({}, registrations.late), /does not produce$/],
    ["registration:tooEarly", withParts({}, registrations.tooEarly), /is not synced$/],
    ["registration:foreign", withParts({}, registrations.foreign), /an unknown address$/],
    ["registration:earlier", withParts({}, registrations.wentBack), /an earlier address again$/],
    [
      "disk",
      withFact({ disk: { at: "/root/.znn", size: 264_200_000, free: 5_000_000 } }),
      /5\.0 of 264\.2 GB are free at \/root\/\.znn$/,
    ],
    ["peers", withFact(peers(0)), /no peers/],
    ["clock", withFact({ clock: { now: "x", isKept: false } }), /clock/],
    [
      "host",
      look(
        { parts: createUnknownParts("active", "no answer"), facts: undefined },
        { isReachable: false, problems: ["", "203.0.113.7 could not be reached: x", "needed"] },
      ),
      /^203\.0\.113\.7 could not be reached: x$/,
    ],
    ["node", withParts({ node: { value: { active: false, masked: false } } }), /does not run/],
    ["node", look({ synced: false, sync: silent }), /does not answer: ECONNREFUSED/],
    ["sync", look({ synced: false, sync: progress() }), /81\.7 %/],
    [
      "signer:silent",
      withParts({ orchestrator: { value: { kind: "silent", text: "it is", isWrong: true } } }),
      /the orchestrator: it is/,
    ],
    [
      "port:35997",
      withParts({ ports: { value: [rule, { ...rule, port: 1, seen: "filtered" }] } }),
      /is open to this machine, and should be closed$/,
    ],
    ["crontab", withParts({ hourlyRestart: { value: "on" } }), /every hour/],
    [
      "mask",
      look({
        lifecycle: "retiring",
        parts: partsOf(registrations.foreign, { node: { value: { ...shut, masked: false } } }),
      }),
      /not masked/,
    ],
    [
      `spork:${"ab".repeat(32)}`,
      withParts({
        sporks: {
          value: {
            version: "v0.0.4",
            unknown: findUnknownSporks(
              parseSporks({ list: [{ id: "ab".repeat(32), name: "x", activated: false, enforcementHeight: 0 }] }),
              "v0.0.4",
            ),
          },
        },
      }),
      /is announced/,
    ],
  ])("%s: %#", (key, one, text) => {
    expect(keysOf(one)).toEqual([key]);
    expect(findAlerts(one, clock).alerts[0]?.text).toMatch(text);
  });
});

test("lists kinds that a lookup could not check as unknown", () => {
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

test.each([1, 2])("a node that inserts a momentum in state %i neither loses nor regains its sync", (state) => {
  const at = (missing: number) => {
    const info = { state, currentHeight: 20_021 - missing, targetHeight: 20_021 };
    return look({ synced: false, sync: progress({ observation: { kind: "answer", info, nodeTime: 0 } }) });
  };
  expect(findAlerts(at(1), clock)).toEqual({ alerts: [], unknown: ["sync"] });
  expect(keysOf(at(3))).toEqual(["sync"]);
});

test("checks only mask, orchestrator and host after a retirement", () => {
  const off = look({
    lifecycle: "retiring",
    synced: false,
    sync: silent,
    facts: { ...facts, ...peers(0) },
    parts: partsOf(registrations.foreign, { node: { value: shut } }),
  });
  expect(findAlerts(off, clock)).toEqual({ alerts: [], unknown: [] });
});
