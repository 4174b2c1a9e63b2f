import { describe, expect, test } from "vitest";
import { checkStatus, checkStoppedState, parseGlobalState } from "../../../../core/orchestrator/checks/stoppedState.ts";
import type { Saga } from "../../../../core/orchestrator/rules/journal.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { exampleHost } from "../exampleMove.ts";

const forward: Saga = { move: moveNamed("pillar-host/prod/Anvil/1"), direction: "forward" };
const back: Saga = { ...forward, direction: "back" };
const paths = { service: "orch", directory: "/data/orch" };
const typed = "pulumi config set --path pillar-host:orchestrator.haltedBridge 1 -s prod";
const inputs = {
  stack: "prod",
  haltedBridge: { isGiven: false, command: typed },
  old: exampleHost("198.51.100.7", paths),
  new: exampleHost("203.0.113.9", paths),
};
const word = { ...inputs, haltedBridge: { ...inputs.haltedBridge, isGiven: true } };
const page = "docs/orchestrator.md, An orchestrator that stays in state 1";
const config = (state?: unknown) =>
  JSON.stringify({ DataPath: "/", GlobalState: state, ProducerKeyFilePassphrase: "hunter2" });

describe("the state in which an orchestrator was stopped", () => {
  test.each<[string, string | undefined, number | undefined]>([
    ["live", config(0), 0],
    ["a key generation", config(1), 1],
    // The orchestrator itself takes a missing state as 0.
    ["no state", config(), 0],
    ["no number", config("1"), undefined],
    ["null", config(null), undefined],
    ["a truncated file", config(1).slice(0, 30), undefined],
    ["an empty file", "", undefined],
    ["no object", "null", undefined],
    ["no file", undefined, undefined],
  ])("is parsed from config.json: %s", (_what, text, state) => {
    expect(parseGlobalState(text)).toBe(state);
  });

  test("a key generation stops a move and a rollback, with the question to ask and the remedy", () => {
    expect(checkStoppedState(config(1), forward, inputs)).toBe(
      [
        "the orchestrator of the old host (198.51.100.7) was stopped in state 1 (key generation), in which it would start on the other host",
        "  found: GlobalState 1 in /data/orch/config.json, which the orchestrator wrote at its stop",
        "  needed: GlobalState 0 (live), as getStatus said before the stop",
        '  The orchestrator is started again where it was. On the host: curl -s -H \'content-type: application/json\' -d \'{"method":"getStatus","params":[]}\' http://127.0.0.1:55000; when it says state 0: pulumi up -s prod',
        `  Does the orchestrator stay in state 1 although the bridge's key generation is over? ${page}`,
      ].join("\n"),
    );
    expect(checkStoppedState(config(1), back, inputs)).toMatch(/^the orchestrator of the new host \(203\.0\.113\.9\) /);
  });

  test.each<[string, number, Saga, typeof inputs, RegExp]>([
    ["live", 0, forward, inputs, /^$/],
    ["a halt", 2, forward, inputs, / was stopped in state 2 \(halted\)[\s\S]*haltedBridge 1 -s prod/],
    ["a halt before a rollback", 2, back, inputs, /^$/],
    ["an acknowledged halt", 2, forward, word, /^$/],
    ["a key generation, although a halt is acknowledged", 1, forward, word, /GlobalState 1/],
    ["another state, although a halt is acknowledged", 3, forward, word, /GlobalState 3(?![\s\S]*haltedBridge)/],
    ["an unknown state", 7, forward, inputs, / was stopped in state 7 \(unknown\)/],
  ])("decides about %s", (_what, state, saga, given, text) => {
    expect(checkStoppedState(config(state), saga, given) ?? "").toMatch(text);
  });

  test.each([forward, back])("an unusable configuration stops a move, without showing its text: $direction", (saga) => {
    const text = checkStoppedState('{"ProducerKeyFilePassphrase":"hunter2', saga, inputs);
    expect(text).toContain("its configuration can't be read: no orchestrator would start with it");
    expect(text).not.toContain("hunter2");
  });
});

test("an orchestrator that is not live is not stopped", () => {
  const check = (state: number, isConfirmed = false) =>
    checkStatus({ state, stateName: `state${state}` }, (isConfirmed ? word : inputs).haltedBridge);
  expect([checkStatus(undefined, inputs.haltedBridge), check(0), check(2, true)]).toEqual(Array(3));
  // Waiting usually solves it: a stop command to paste would lose the new key share.
  expect(check(1)).toMatchObject({
    what: "the bridge's key generation is at work",
    next: [undefined, expect.stringContaining(page)],
  });
  expect(check(2)).toMatchObject({
    found: "state 2 (state2), by getStatus",
    next: [expect.stringContaining(typed), false],
  });
  for (const state of [1, 3, 4]) expect(check(state, true)).toBeDefined();
});
