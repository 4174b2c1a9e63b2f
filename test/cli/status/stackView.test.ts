import { describe, expect, test } from "vitest";
import { decideStage } from "../../../cli/status/hostStage";
import type { StackView } from "../../../cli/status/stackView";
import { createStatusJson } from "../../../cli/status/statusJson";
import { type NodeHostFacts, parseNodeHostFacts } from "../../../core/ssh/hostFacts";
import { lives, viewOf } from "../exampleView";

const done = (...steps: string[]) => parseNodeHostFacts(["stages=asked", ...steps.map((step) => `done.${step}=2026`)]);
const fresh = { isBegun: false, pending: [] };
const wait = { startedAt: "2026-11-21T10:00:00.000Z", syncedAt: "2026-11-21T12:00:00.000Z" };
const cutOff = { name: "node-sync", type: "pulumi-nodejs:dynamic/pillar-host:SyncGate", operation: "creating" };
const goesOn = "nothing to do: a run is active";

describe("stage and next step", () => {
  const up = "pulumi up -s prod";
  const killed = { locks: [{ ...lives, holder: "gone" }] } as const;
  const lastRun = { nextStep: [], isRegistered: false, isOffered: false };
  const isOpen = { isBegun: true, pending: [cutOff] };
  const behind = "was synced, but is not synced now";
  test.each<[string, Partial<StackView>, string, string]>([
    ["not started", { state: fresh, locks: [], facts: done() }, "not started", up],
    ["not started, before the first lookup", { state: fresh, locks: [], facts: undefined }, "not started", up],
    ["a first run is active", { state: fresh, facts: done() }, "started, packages not installed yet", goesOn],
    ["the host does not answer", { locks: [], facts: undefined }, "started", `${up} continues from here`],
    ["packages", { facts: done("packages") }, "packages installed, not deployed yet", goesOn],
    ["syncing", {}, "deployed, syncing", goesOn],
    ["syncing, no run is active", { locks: [] }, "deployed, syncing", `${up} continues from here`],
    ["the backend shows no locks", { locks: undefined }, "deployed, syncing", `${up} continues from here`],
    [
      "an open step, the backend shows no locks",
      { locks: undefined, state: isOpen },
      "deployed, syncing",
      "./pillar-host resume prod continues the last run, unless it is still active",
    ],
    ["the run was killed", killed, "deployed, syncing", "./pillar-host resume prod"],
    ["synced, the run is active", { synced: true }, "synced", goesOn],
    ["synced, the run was killed", { synced: true, ...killed }, "synced", "./pillar-host resume prod"],
    ["synced", { synced: true, locks: [] }, "synced", `${up} shows the producer address`],
    [
      "synced, the orchestrator moves before the wallet's update",
      { synced: true, locks: [], state: { isBegun: true, pending: [], lastRun } },
      "synced",
      "do not update the wallet yet; run ./pillar-host next prod",
    ],
    [
      "synced once, by the state",
      { state: { isBegun: true, pending: [], wait }, locks: [] },
      behind,
      "do not touch the wallet",
    ],
    [
      "synced once, by the host's marker",
      { facts: done("packages", "deployed", "synced"), locks: [] },
      behind,
      "do not touch the wallet",
    ],
  ])("are decided for: %s", (_name, changes, stage, next) => {
    const found = decideStage(viewOf(changes));
    expect([found.stage, found.next.slice(0, next.length)]).toEqual([stage, next]);
  });
});

test("reads the host's markers from its facts", () => {
  const listDone = (facts: NodeHostFacts | undefined) => createStatusJson(viewOf({ facts }), 1).done;
  expect(listDone(done("packages", "deployed"))).toEqual(["packages", "deployed"]);
  expect(listDone(done())).toEqual([]);
  expect(listDone({ ...parseNodeHostFacts([]), unseen: ["x"] })).toBeUndefined();
  expect(listDone(undefined)).toBeUndefined();
});

test("formats JSON with the stage and whether the host was read", () => {
  const { facts: found, ...report } = createStatusJson(viewOf(), 1);
  expect(found).toMatchObject({ service: { active: "active" }, node: { peers: 8 }, disk: { free: 75_000_000 } });
  expect(report).toEqual({
    stack: "prod",
    pillar: "Anvil",
    host: "203.0.113.7",
    lifecycle: "active",
    needs: "wait",
    stage: "deployed, syncing",
    next: goesOn,
    synced: false,
    looked: true,
    sync: {
      text: "81.7 %, height 16365 of 20021, 4.9 momentums/s, about 13 min left, since 2026-11-21 15:04 UTC",
      reason: "syncing",
      good: false,
      height: 16_365,
      target: 20_021,
      percent: 81.7,
      rate: 4.9,
      secondsLeft: 780,
    },
    done: ["packages", "deployed"],
    pulumi: [{ user: "ada", host: "desk", pid: 4242, since: "2026-11-21T15:02:54.000Z", run: "lives" }],
  });
  expect(createStatusJson(viewOf(), 2).looked).toBe(false);
});
