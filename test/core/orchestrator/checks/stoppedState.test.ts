import { describe, expect, test } from "vitest";
import {
  checkLive,
  checkStoppedState,
  parseGlobalState,
  type StoppedInputs,
} from "../../../../core/orchestrator/checks/stoppedState";
import type { Saga } from "../../../../core/orchestrator/rules/journal";
import { moveNamed } from "../../../moveNamed";
import { exampleHost } from "../exampleMove";

const forward: Saga = { move: moveNamed("pillar-host/prod/Anvil/1"), direction: "forward" };
const back: Saga = { ...forward, direction: "back" };
const paths = { service: "orch", directory: "/data/orch" };
const inputs: StoppedInputs = {
  stack: "prod",
  haltedBridge: false,
  old: exampleHost("198.51.100.7", paths),
  new: exampleHost("203.0.113.9", paths),
};
const typed = "pulumi config set --path pillar-host:orchestrator.migrateFrom.haltedBridge acknowledged -s prod";
const config = (state?: unknown) =>
  JSON.stringify({ DataPath: "/", GlobalState: state, ProducerKeyFilePassphrase: "p" });

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
        "the orchestrator of the old host (198.51.100.7) was stopped in state 1 (key generation): its part in the key generation is not done, and on the other host it would begin one alone",
        "  found: GlobalState 1 in /data/orch/config.json, which the orchestrator wrote at its stop",
        "  needed: GlobalState 0 (live), as getStatus said before the stop",
        '  The orchestrator is started again where it was. On the host: curl -s -H \'content-type: application/json\' -d \'{"method":"getStatus","params":[]}\' http://127.0.0.1:55000; when it says state 0: pulumi up -s prod',
        "  Does the orchestrator stay in state 1 although the bridge's key generation is over? docs/orchestrator.md, An orchestrator that stays in state 1",
      ].join("\n"),
    );
    expect(checkStoppedState(config(1), back, inputs)).toMatch(/^the orchestrator of the new host \(203\.0\.113\.9\) /);
  });

  test("a halted bridge stops a move, and no rollback", () => {
    expect(checkStoppedState(config(2), forward, inputs)).toMatch(
      / was stopped in state 2 \(halted\): the bridge is halted/,
    );
    expect(checkStoppedState(config(7), forward, inputs)).toMatch(
      / was stopped in state 7 \(unknown\): on the other host/,
    );
    expect(checkStoppedState(config(2), back, inputs)).toBeUndefined();
    expect(checkStoppedState(config(2), forward, inputs)).toContain(typed);
    expect(checkStoppedState(config(3), forward, inputs)).not.toContain(typed);
    // Typed out, and for a halted bridge alone.
    const word = { ...inputs, haltedBridge: true };
    expect([0, 2].map((state) => checkStoppedState(config(state), forward, word))).toEqual([undefined, undefined]);
    for (const state of [1, 3, 4])
      expect(checkStoppedState(config(state), forward, word)).toContain(`GlobalState ${state}`);
  });

  test("an unusable configuration stops both, without showing its text", () => {
    for (const saga of [forward, back]) {
      const text = checkStoppedState('{"ProducerKeyFilePassphrase":"hunter2', saga, inputs);
      expect(text).toContain("its configuration cannot be read: no orchestrator would start with it");
      expect(text).not.toContain("hunter2");
    }
    expect(checkStoppedState(config(0), forward, inputs)).toBeUndefined();
  });
});

test("an orchestrator that is not live is not stopped", () => {
  const why = (state: number, word = false) =>
    checkLive("old", { state, stateName: `state${state}` }, { ...inputs, haltedBridge: word });
  expect(checkLive("old", undefined, inputs)).toBeUndefined();
  expect(why(0)).toBeUndefined();
  expect(why(1)).toContain("takes part in a key generation now");
  expect(why(1)).toContain("docs/orchestrator.md, An orchestrator that stays in state 1");
  // Waiting usually solves it: a stop command to paste would lose the new key share.
  expect(why(1)).not.toContain("systemctl stop");
  expect(why(2)).toContain("found: state 2 (state2)");
  expect(why(2)).toContain(typed);
  expect(why(2, true)).toBeUndefined();
  for (const state of [1, 3, 4]) expect(why(state, true)).toBeDefined();
});
