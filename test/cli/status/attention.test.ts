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

describe("what is needed, and the exit code for it", () => {
  test.each<[string, Partial<StackView>, Attention, number]>([
    ["syncing", { parts: partsOf() }, "wait", 1],
    ["syncing, not looked at yet", {}, "wait", 1],
    ["synced, nobody asked the chain", { synced: true }, "step", 0],
    ["synced, the chain does not tell", { synced: true, parts: createUnknownParts("active", "late") }, "step", 0],
    ["synced, still the old address", synced("earlier"), "step", 0],
    ["synced, and nobody registered the Pillar yet", synced("nobody"), "step", 0],
    ["registered", synced("registered"), "wait", 1],
    ["registered for too long", synced("late"), "attention", 1],
    ["registered before it was synced", { parts: partsOf(registrations.tooEarly) }, "attention", 1],
    ["somebody else's", synced("foreign"), "attention", 1],
    ["went back to another address", synced("wentBack"), "attention", 1],
    ["producing", synced("producing"), "nothing", 0],
    [
      "producing, its signer is silent",
      { synced: true, parts: partsOf(registrations.producing, { orchestrator: silent }) },
      "attention",
      1,
    ],
    ["adopted", { ...synced("producing"), lifecycle: "adopted" }, "nothing", 0],
    ["adopted, not synced", { lifecycle: "adopted", parts: partsOf() }, "wait", 1],
    ["shut down, nothing in the way", retiring({ destroy: { value: [] } }), "step", 0],
    ["shut down, rewards open", retiring({ destroy: { value: [unmet] } }), "wait", 1],
    ["shut down, nobody tells", retiring({ destroy: { problem: "no answer" } }), "attention", 1],
    ["retiring, out of sight", { ...retiring({}), parts: createUnknownParts("retiring", "no answer") }, "attention", 1],
    ["given up", { lifecycle: "retiring", state: { isBegun: false, pending: [] } }, "nothing", 0],
  ])("%s", (_name, changes, needs, code) => {
    const found = decideAttention(viewOf(changes));
    expect(found).toBe(needs);
    expect(decideExitCode(found, true)).toBe(code);
    expect(decideExitCode(found, false)).toBe(2);
  });
});

describe("stage and next step", () => {
  const retire = "./pillar-host retire prod --successor STACK, with the stack of the host that took over";
  test.each<[string, Partial<StackView>, string, string]>([
    [
      "producing",
      synced("producing"),
      "producing",
      "nothing to do here; a host that produced before can be retired: docs/retiring.md",
    ],
    [
      "registered",
      synced("registered"),
      "registered; waiting for its first momentum",
      "wait, and keep the old host running: it produces until momentums carry this host's address",
    ],
    [
      "registered for too long",
      synced("late"),
      "registered, but it does not produce",
      "check the node's clock; pulumi up -s prod says what to do",
    ],
    [
      "registered too early",
      { locks: [], parts: partsOf(registrations.tooEarly) },
      "REGISTERED TOO EARLY: its node is not synced",
      "The way back, while the old host runs: in the wallet, Update Pillar Anvil, producer address: z1qzlytaqdahg5t02nz5096frflfv7dm3y7yxmg7",
    ],
    [
      "a run is at work",
      { synced: true, parts: partsOf(registrations.registered) },
      "registered; waiting for its first momentum",
      "nothing to do: a run is active",
    ],
    [
      "an adopted host that produces",
      {
        ...synced("producing"),
        lifecycle: "adopted",
        parts: partsOf(registrations.producing, { destroy: { value: [{ ...unmet, loss: "momentums" }] } }),
      },
      "adopted, node synced",
      `when its Pillar produces elsewhere: ${retire}`,
    ],
    [
      "an adopted host that nobody needs",
      { lifecycle: "adopted", locks: [], parts: partsOf(registrations.foreign, { destroy: { value: [unmet] } }) },
      "adopted",
      `its Pillar produces elsewhere: ${retire}`,
    ],
    [
      "retiring, its node still runs",
      retiring({ node: { value: { active: true, masked: false } }, destroy: { value: [] } }),
      "retiring, node not shut down yet",
      "pulumi up -s prod",
    ],
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
      "pulumi destroy -s prod is refused until the conditions below are met",
    ],
  ])("%s", (_name, changes, stage, next) => {
    expect(decideStage(viewOf(changes))).toEqual({ stage, next });
  });
});
