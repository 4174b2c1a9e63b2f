import { expect, test } from "vitest";
import { decideStage } from "../../../cli/status/hostStage.ts";
import { giveOneReason } from "../../../cli/status/readStatus.ts";
import type { StackView } from "../../../cli/status/stackView.ts";
import { createStatusJson } from "../../../cli/status/statusJson.ts";
import { createSettings } from "../../../core/journey/stackFacts.ts";
import type { Needs } from "../../../core/journey/stackStages.ts";
import { parseWhole } from "../../core/host/printedFacts.ts";
import {
  createUnknownParts,
  finishedRun,
  lives,
  partsOf,
  progress,
  registrations,
  stepConfig,
  unmet,
  viewOf,
} from "../exampleView.ts";

const done = (...steps: string[]) =>
  parseWhole(
    ["done"],
    steps.map((step) => `marked.${step}=2026`),
  );
const up = "pulumi up -s prod";
const active = "nothing to do: a run is active";
const begun = { isBegun: true, pending: [], last: { finished: false } };
const fresh = { state: { isBegun: false, pending: [], last: { finished: false } } };
const finished = { ...begun, last: finishedRun };
const settings = createSettings(stepConfig({ move: true }));
const killed = { locks: [{ ...lives, holder: "gone" }] } as const;
const cutOff = { name: "node-sync", type: "pulumi-nodejs:sync:Gate", operation: "creating" };
const interrupted = { locks: undefined, state: { ...begun, pending: [cutOff] } };
const wait = { startedAt: "2026-11-21T10:00:00.000Z", syncedAt: "2026-11-21T12:00:00.000Z" };
const waited = { ...begun, wait };
const unnoted = { ...begun, last: { finished: true } };
const unwitnessed = { synced: false, sync: progress({ why: { kind: "unwitnessed", text: "no witness" } }) };
const late = createUnknownParts("active", "late");
const silent = { value: { kind: "silent", text: "it runs here, but does not answer", isWrong: true } } as const;
const tooEarly = { parts: partsOf(registrations.tooEarly) };
const withOldAddress = { parts: partsOf(), locks: [] };
const synced = (
  registration: keyof typeof registrations,
  changes: Parameters<typeof partsOf>[1] = {},
): Partial<StackView> => ({
  synced: true,
  locks: [],
  state: finished,
  parts: partsOf(registrations[registration], changes),
});
const adopted = (changes: Partial<StackView>): Partial<StackView> => ({ ...changes, locks: [], lifecycle: "adopted" });
const retiring = (changes: Parameters<typeof partsOf>[1]): Partial<StackView> => ({
  lifecycle: "retiring",
  locks: [],
  state: finished,
  parts: partsOf(registrations.foreign, { node: { value: { active: false, masked: true } }, ...changes }),
});
const runs = { node: { value: { active: true, masked: false } } };
const shutDown = "shut down: its node is off and masked";

test.each<[Needs, string, string, Partial<StackView>]>([
  ["wait", "not started", up, { ...fresh, locks: [], facts: done() }],
  ["wait", "not started", up, { ...fresh, locks: [], facts: undefined }],
  ["wait", "started", active, { ...fresh, facts: done() }],
  ["wait", "started", `${up} continues from here`, { locks: [], facts: undefined }],
  ["wait", "packages installed, not deployed yet", active, { facts: done("packages.done") }],
  ["wait", "deployed, syncing", active, {}],
  ["wait", "deployed, syncing", `${up} continues from here`, { locks: [] }],
  ["wait", "deployed, syncing", `${up} continues from here`, { locks: undefined }],
  ["wait", "deployed, syncing", "./pillar-host resume prod continues the last run, unless", interrupted],
  ["wait", "deployed, syncing", "./pillar-host resume prod", killed],
  ["wait", "was synced, but is not synced now", "do not touch", { state: { ...waited, last: finishedRun }, locks: [] }],
  ["wait", "was synced, but is not synced now", "do not touch", { facts: done("deploy.done", "synced"), locks: [] }],
  ["nothing", "producing", "nothing to do here", { ...synced("producing"), ...unwitnessed }],
  [
    "wait",
    "was synced, but is not synced now",
    "do not touch",
    { ...synced("earlier"), ...unwitnessed, state: waited },
  ],
  ["attention", "REGISTERED TOO EARLY: the node", "The way back,", { ...tooEarly, locks: [] }],
  ["step", "synced", active, { synced: true }],
  ["step", "synced", "./pillar-host resume prod", { synced: true, ...killed }],
  ["step", "synced", `${up} shows the producer address`, synced("earlier")],
  ["attention", "synced, but no Pillar has its name", "correct the Pillar's name: pulumi config", synced("nobody")],
  ["step", "synced", `${up} asks again which address is registered`, { synced: true, locks: [], parts: late }],
  ["step", "producing", `${up} records the first momentum`, { ...synced("producing"), state: unnoted }],
  ["step", "producing", "do not update the wallet yet", { ...synced("producing"), settings }],
  ["step", "producing", `${up} continues from here`, { ...synced("producing"), state: begun }],
  ["wait", "not started", up, { ...synced("earlier"), ...fresh }],
  ["step", "synced", "./pillar-host resume prod", { ...synced("earlier"), state: { ...finished, pending: [cutOff] } }],
  ["wait", "was synced, but is not synced now", "do not touch the wallet; pulumi up", { state: waited, locks: [] }],
  ["step", "synced", "do not update the wallet yet", { ...synced("earlier"), settings }],
  ["wait", "registered; waiting for its first momentum", "wait, and keep the old host", synced("registered")],
  ["wait", "registered; waiting for its first momentum", active, { ...synced("registered"), locks: [lives] }],
  ["attention", "synced, but the Pillar is registered with an unknown", up, synced("foreign")],
  ["attention", "synced, but the Pillar is registered with an earlier", up, synced("wentBack")],
  ["nothing", "producing", "nothing to do here", synced("producing")],
  ["attention", "producing", "nothing to do here", synced("producing", { orchestrator: silent })],
  ["wait", "to be adopted", up, adopted(fresh)],
  ["wait", "adopted", "once the Pillar produces elsewhere: ./pillar-host retire prod", adopted(withOldAddress)],
  ["attention", "adopted", "", adopted(tooEarly)],
  ["nothing", "adopted, node synced", "once the Pillar produces elsewhere", adopted(synced("producing"))],
  [
    "nothing",
    "adopted, node synced",
    "the Pillar produces elsewhere: ./pillar-host retire prod --successor STACK",
    adopted(synced("foreign", { destroy: { value: [unmet] } })),
  ],
  ["nothing", "retired, or never created", "to see its history", { lifecycle: "retiring", locks: [], ...fresh }],
  ["attention", "retiring; unknown", `check again: ${up}`, { ...retiring({}), parts: late }],
  ["wait", "retiring, node not shut down", up, retiring({ ...runs, destroy: { value: [unmet] } })],
  ["step", shutDown, "the host may be deleted now: pulumi destroy -s prod", retiring({ destroy: { value: [] } })],
  ["wait", shutDown, "pulumi destroy -s prod is refused", retiring({ destroy: { value: [unmet] } })],
  ["attention", shutDown, "pulumi destroy -s prod checks", retiring({ destroy: { problem: "no answer" } })],
])("stage, next step and needs: %s: %s: %s", (needs, stage, next, changes) => {
  const found = decideStage(viewOf(changes));
  expect([found.needs, found.stage.startsWith(stage), found.next.startsWith(next)]).toEqual([needs, true, true]);
});

test("formats JSON with the stage and whether the host was read", () => {
  expect(createStatusJson(viewOf(), 1)).toMatchObject({
    ...{ stack: "prod", pillar: "Anvil", host: "203.0.113.7", lifecycle: "active" },
    ...{ needs: "wait", stage: "deployed, syncing", next: active, synced: false, looked: true },
    sync: {
      text: "81.7 %, height 16365 of 20021, 4.9 momentums/s, about 13 min left, since 2026-11-21 15:04 UTC",
      ...{ reason: "syncing", good: false, height: 16_365, target: 20_021, percent: 81.7, rate: 4.9, secondsLeft: 780 },
    },
    done: ["packages", "deployed"],
    pulumi: [{ user: "ada", host: "desk", pid: 4242, since: "2026-11-21T15:02:54.000Z", run: "lives" }],
    facts: { service: { active: "active" }, node: { peers: 8 }, disk: { free: 75_000_000 } },
  });
  expect(createStatusJson(viewOf(), 2).looked).toBe(false);
});

test("gives one reason for what a silent host leaves unknown, and keeps the answers of other nodes", () => {
  const sporks = { value: { unknown: [] } };
  const parts = giveOneReason({ ...late, sporks, ports: { problem: "late" } });
  expect(parts).toEqual({ ...createUnknownParts("active", "the host does not answer"), sporks });
});
