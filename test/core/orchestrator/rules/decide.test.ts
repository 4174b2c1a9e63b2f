import { describe, expect, test } from "vitest";
import type { Saga } from "../../../../core/orchestrator/rules/journal.ts";
import { decideMove, freshRun } from "../../../../core/orchestrator/rules/moveSteps.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { exampleMove, exampleState } from "../exampleMove.ts";

const saga: Saga = { move: exampleMove, direction: "forward" };

/** @returns the step, or why the move ends or stops */
function decide(old: string, fresh: string, { failed = false, direction = saga.direction } = {}): string {
  const states = { old: exampleState("old", old), new: exampleState("new", fresh) };
  const decision = decideMove({ ...saga, direction }, states, { ...freshRun, failed });
  return "why" in decision ? decision.why : decision.do;
}

test.each([
  // An orchestrator that runs or may start where it must not:
  ["- signs", "- signs", "target runs unasked"],
  ["fenced", "staged signs", "target runs unasked"],
  ["fenced active", "staged", "source runs unasked"],
  ["fenced unmasked", "switched", "source runs unasked"],
  ["fenced unmasked", "staging", "source runs unasked"],
  ["- signs", "switched", "source runs unasked"],
  ["- signs", "running signs", "two may sign"],
  ["moved signs", "running signs", "two may sign"],
  // A run that did not stop the old host stops it again, because its files were not listed since.
  ["stopping", "staging", "stop"],
  ["gone", "staging", "source unreachable"],
  ["- active", "gone", "target unreachable"],
  // Journals that contradict each other:
  ["restored", "staged", "journals disagree"],
  ["stopping", "staged", "journals disagree"],
  ["moved", "switched", "journals disagree"],
  ["moved", "staging", "journals disagree"],
  // The other host may be gone, or merely not fenced, once the move is done.
  ["gone", "running signs", "moved"],
  ["moved unmasked", "running signs", "moved"],
])("decides with %s and %s: %s", (old, fresh, expected) => {
  expect(decide(old, fresh)).toBe(expected);
});

test.each([
  ["fenced", "starting", "target is started"],
  ["fenced", "staged", "seal"],
  ["restoring", "- signs", "target runs unasked"],
  ["restoring", "abandoned", "restore"],
  ["fenced", "abandoned unmasked", "seal"],
  ["fenced", "abandoned active", "seal"],
  ["fenced", "abandoned inPlace", "seal"],
  ["fenced", "abandoned", "restore"],
])("after a failed step, decides with %s and %s: %s", (old, fresh, expected) => {
  expect(decide(old, fresh, { failed: true })).toBe(expected);
});

// A backup that was unpacked is started only while its source is fenced, and is sealed once that is seen.
test.each([
  ["gone", "staging", true, "unpack"],
  ["gone", "staging", false, "source unreachable"],
  ["gone", "staged", true, "arrive"],
  ["gone", "switched", true, "start"],
  ["gone", "switched", false, "source unreachable"],
  ["gone", "starting", true, "start"],
  ["gone", "starting", false, "source unreachable"],
  ["gone", "starting signs", false, "source unreachable"],
  ["gone", "running signs", false, "moved"],
  ["- signs", "staged", false, "seal"],
  ["- signs", "switched", false, "seal"],
  ["- signs", "abandoned", false, "bulk"],
  ["- signs", "starting", false, "lost source is back"],
  // The source fenced itself in a move before: its files are newer than the backup.
  ["fenced", "switched", false, "seal"],
  ["fenced", "abandoned", false, "copy"],
] as const)("in a restore, decides with %s and %s, fenced %s: %s", (old, fresh, isFenced, expected) => {
  const states = { old: exampleState("old", old), new: exampleState("new", fresh, { isRestore: true }) };
  const decision = decideMove(saga, states, { ...freshRun, isFenced });
  expect("why" in decision ? decision.why : decision.do).toBe(expected);
});

test.each([
  ["switched", true, "seal"],
  ["switched", false, "seal"],
  ["abandoned", true, "undone"],
  ["abandoned", false, "source unreachable"],
  ["starting", true, "target is started"],
] as const)("after a failed step of a restore, decides with %s, fenced %s: %s", (fresh, isFenced, expected) => {
  const states = { old: undefined, new: exampleState("new", fresh, { isRestore: true }) };
  const decision = decideMove(saga, states, { ...freshRun, failed: true, isFenced });
  expect("why" in decision ? decision.why : decision.do).toBe(expected);
});

test("reports a second orchestrator in a rollback without a move", () => {
  expect(decide("- signs", "- signs", { direction: "back" })).toBe("two may sign");
});

describe("another stack's move on these hosts", () => {
  const theirs = { move: moveNamed("pillar-host/other/Anvil/1") };
  const wanted = (direction: Saga["direction"]) => ({ ...saga, direction });

  test.each(["stopping", "fenced"])("is not continued at the stage %s", (stage) => {
    const stops = { do: "stop here", why: "another move", saga: theirs };
    const forward = { old: exampleState("old", stage, theirs), new: exampleState("new", "-") };
    expect(decideMove(wanted("forward"), forward, freshRun)).toMatchObject(stops);
    const back = { old: exampleState("old", "-"), new: exampleState("new", stage, { ...theirs, direction: "back" }) };
    expect(decideMove(wanted("back"), back, freshRun)).toMatchObject(stops);
  });

  const been = [{ stage: "running", at: "x", move: exampleMove }];

  test.each(["stopping", "fenced", "restoring", "moved"])("keeps its host at the stage %s", (stage) => {
    const journal = { ...theirs, side: "old", history: been } as const;
    const source = { old: exampleState("old", stage, journal), new: exampleState("new", "-") };
    expect(decideMove(saga, source, freshRun)).toMatchObject({ why: "another move" });
    const target = { old: exampleState("old", "fenced"), new: exampleState("new", stage, journal) };
    expect(decideMove(saga, target, freshRun)).toMatchObject({ why: "another move" });
  });

  test("keeps a host with an abandoned copy as a source", () => {
    const journal = { ...theirs, side: "old", direction: "back" } as const;
    const states = { old: exampleState("old", "abandoned signs", journal), new: exampleState("new", "-") };
    expect(decideMove(saga, states, freshRun)).toMatchObject({ why: "another move" });
  });

  test.each(["moved", "restored", "abandoned"])("lets no copy over what came here before, at the stage %s", (stage) => {
    const journal = { ...theirs, side: "old", history: been } as const;
    const states = { old: exampleState("old", "fenced"), new: exampleState("new", stage, journal) };
    expect(decideMove(saga, states, freshRun)).toMatchObject({ why: "another move" });
  });

  test.each(["running", "restored"])("lets a new move begin from its stage %s", (stage) => {
    const journal = { ...theirs, side: "new" } as const;
    const states = { old: exampleState("old", `${stage} signs`, journal), new: exampleState("new", "-") };
    expect(decideMove(saga, states, freshRun)).toMatchObject({ do: "bulk" });
  });

  test.each(["stopping", "fenced", "moved", "restored"])("leaves this stack's done at the stage %s", (stage) => {
    const states = { old: exampleState("old", stage, theirs), new: exampleState("new", "running signs") };
    expect(decideMove(saga, states, freshRun)).toEqual({ do: "done", holder: "new", why: "moved" });
  });

  test("leaves nothing to roll back if it ended on the old host", () => {
    const before = { move: moveNamed("pillar-host/before/Anvil/1"), direction: "back", side: "new" } as const;
    const states = { old: exampleState("old", "moved", before), new: exampleState("new", "-") };
    const done = { do: "done", holder: "old", why: "nothing to roll back" };
    expect(decideMove(wanted("back"), states, freshRun)).toEqual(done);
  });
});
