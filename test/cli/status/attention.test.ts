import { describe, expect, test } from "vitest";
import { type Attention, decideAttention, decideExitCode } from "../../../cli/status/attention";
import { decideStage } from "../../../cli/status/hostStage";
import { createUnknownParts } from "../../../cli/status/parts/statusParts";
import type { StackView } from "../../../cli/status/stackView";
import { viewOf } from "../exampleView";
import { partsOf, registrations, unmet } from "./parts/exampleParts";

const shut = { node: { value: { active: false, masked: true } } };
const begun = { isBegun: true, pending: [] };
const retiring = (changes: Parameters<typeof partsOf>[1]): Partial<StackView> => ({
  lifecycle: "retiring",
  locks: [],
  state: begun,
  parts: partsOf(registrations.foreign, { ...shut, ...changes }),
});
const synced = (registration: keyof typeof registrations): Partial<StackView> => ({
  synced: true,
  locks: [],
  parts: partsOf(registrations[registration]),
});
const silent = { value: { kind: "silent", text: "it runs here, but does not answer", isWrong: true } } as const;

describe("attention and exit code", () => {
  test.each<[string, Partial<StackView>, Attention, number]>([
    ["syncing", { parts: partsOf() }, "wait", 1],
    ["syncing, before the first lookup", {}, "wait", 1],
    ["synced, before the first lookup of the chain", { synced: true }, "step", 0],
    ["synced, the chain does not answer", { synced: true, parts: createUnknownParts("active", "late") }, "step", 0],
    ["synced, the old address is registered", synced("earlier"), "step", 0],
    ["synced, the Pillar is not registered", synced("nobody"), "step", 0],
    ["registered", synced("registered"), "wait", 1],
    ["registered for too long", synced("late"), "attention", 1],
    ["registered before it was synced", { parts: partsOf(registrations.tooEarly) }, "attention", 1],
    ["registered with an unknown address", synced("foreign"), "attention", 1],
    ["registered with an earlier address again", synced("wentBack"), "attention", 1],
    ["producing", synced("producing"), "nothing", 0],
    [
      "producing, with a silent orchestrator",
      { synced: true, parts: partsOf(registrations.producing, { orchestrator: silent }) },
      "attention",
      1,
    ],
    ["adopted", { ...synced("producing"), lifecycle: "adopted" }, "nothing", 0],
    ["adopted, not synced", { lifecycle: "adopted", parts: partsOf() }, "wait", 1],
    ["shut down, a destroy is allowed", retiring({ destroy: { value: [] } }), "step", 0],
    ["shut down, rewards are not collected", retiring({ destroy: { value: [unmet] } }), "wait", 1],
    ["shut down, no answer", retiring({ destroy: { problem: "no answer" } }), "attention", 1],
    [
      "retiring, the host does not answer",
      { ...retiring({}), parts: createUnknownParts("retiring", "no answer") },
      "attention",
      1,
    ],
    ["retired", { lifecycle: "retiring", state: { isBegun: false, pending: [] } }, "nothing", 0],
  ])("are decided for: %s", (_name, changes, needs, code) => {
    const found = decideAttention(viewOf(changes));
    expect(found).toBe(needs);
    expect(decideExitCode(found)).toBe(code);
  });
});

describe("stage and next step", () => {
  const stillRuns = { node: { value: { active: true, masked: false } }, destroy: { value: [] } };
  const needed = { destroy: { value: [{ ...unmet, loss: "momentums" }] } } as const;
  test.each<[string, Partial<StackView>, string, string]>([
    ["producing", synced("producing"), "producing", "nothing to do here"],
    ["registered", synced("registered"), "registered; waiting for its first momentum", "wait, and keep the old host"],
    ["registered for too long", synced("late"), "registered, but it does not produce", "check the node's clock"],
    [
      "registered too early",
      { locks: [], parts: partsOf(registrations.tooEarly) },
      "REGISTERED TOO EARLY: the node is not synced",
      "The way back, while the old host runs: in the wallet, Update Pillar Anvil, producer address: z1qzlytaqdahg5",
    ],
    [
      "a run is active",
      { synced: true, parts: partsOf(registrations.registered) },
      "registered; waiting for its first momentum",
      "nothing to do: a run is active",
    ],
    [
      "an adopted host that produces",
      { ...synced("producing"), lifecycle: "adopted", parts: partsOf(registrations.producing, needed) },
      "adopted, node synced",
      "once the Pillar produces elsewhere: ./pillar-host retire prod --successor STACK",
    ],
    [
      "an adopted host that may be retired",
      { lifecycle: "adopted", locks: [], parts: partsOf(registrations.foreign, { destroy: { value: [unmet] } }) },
      "adopted",
      "the Pillar produces elsewhere: ./pillar-host retire prod --successor STACK",
    ],
    ["retiring, its node still runs", retiring(stillRuns), "retiring, node not shut down yet", "pulumi up -s prod"],
    [
      "shut down",
      retiring({ destroy: { value: [] } }),
      "shut down: its node is off and masked",
      "the host may be deleted now: pulumi destroy -s prod",
    ],
    [
      "shut down, refused",
      retiring({ destroy: { value: [unmet] } }),
      "shut down: its node is off and masked",
      "pulumi destroy -s prod is refused",
    ],
  ])("are decided for: %s", (_name, changes, stage, next) => {
    const found = decideStage(viewOf(changes));
    expect([found.stage, found.next.slice(0, next.length)]).toEqual([stage, next]);
  });
});
