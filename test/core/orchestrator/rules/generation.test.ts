import { describe, expect, test } from "vitest";
import type { MoveEvent } from "../../../../core/eventLog/events.ts";
import type { MoveId } from "../../../../core/eventLog/moveId.ts";
import {
  applyEvent,
  createLeg,
  decideEvent,
  decideNext,
  type Wanted,
} from "../../../../core/orchestrator/rules/generation.ts";
import type { Journal } from "../../../../core/orchestrator/rules/journal.ts";
import {
  findFence,
  findFenceFault,
  findMissingEnd,
  findRivalStart,
  summarizeMoves,
} from "../../../../core/orchestrator/rules/moveHistory.ts";
import { freshRun, type RunMemory } from "../../../../core/orchestrator/rules/moveSteps.ts";
import { describeUnknownHistory, findForeignBackup } from "../../../../core/orchestrator/rules/obstacles.ts";
import { commandsFor } from "../../../../core/util/commands.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { exampleState, exampleMove as move } from "../exampleMove.ts";

const third = moveNamed("pillar-host/third/Anvil/1");
const second = moveNamed("pillar-host/prod/Anvil/2");
const hosts = { old: "A", new: "B" };
/** Returns a history of moves. */
const known = (generation: number, started: number, more: Partial<Wanted["known"]> = {}) => ({
  known: { generation, started, ...more },
});

/** Decides between hosts in these states ({@link exampleState}). @returns the step and its generation, or why it stops */
function next(
  [old, fresh]: readonly [string, string],
  wanted: Partial<Wanted> = {},
  journals: { readonly old?: Partial<Journal>; readonly new?: Partial<Journal> } = {},
  memory: Partial<RunMemory> = {},
): string {
  const states = { old: exampleState("old", old, journals.old), new: exampleState("new", fresh, journals.new) };
  const decision = decideNext({ move, direction: "forward", hosts, ...wanted }, states, { ...freshRun, ...memory });
  return "why" in decision ? decision.why : `${decision.do} ${decision.saga.generation}`;
}

const none = ["- signs", "-"] as const;
const back = { direction: "back" } as const;

describe("a move", () => {
  test.each<[string, readonly [string, string], Partial<Wanted>, string]>([
    ["is number 1 if nobody knows another", none, {}, "bulk 1"],
    ["has one more than the event log knows", none, known(3, 0), "bulk 4"],
    ["has one more than hosts know", ["restored@7 signs", "abandoned@7"], known(7, 3), "bulk 8"],
    ["needs a confirmation if it is the first", none, known(0, 0), "first move"],
    ["begins with it", none, { ...known(0, 0), isFirst: true }, "bulk 1"],
    ["needs none if one began", none, known(1, 0, { move }), "bulk 2"],
    ["begins if its only trace is confirmed", ["- signs", "abandoned"], { ...known(0, 0), laterThan: 1 }, "bulk 2"],
    // A run was killed between the event of its start and the stop.
    ["continues after its start was logged", ["restored@2 signs", "staging@4"], known(4, 4, { move }), "bulk 5"],
    ["begins nothing after a later start", ["restored@2 signs", "staging@4"], known(5, 5, { move }), "later start"],
    ["keeps its number in the run that continues", ["fenced@5", "switched@5"], {}, "start 5"],
    ["copies again to a target that was set back", ["fenced@2", "switched@1"], {}, "copy 2"],
    [
      "starts nothing once a finished target's disk is blank",
      ["moved@2", "-"],
      known(2, 2, { move }),
      "journals disagree",
    ],
    ["does not bring it back by itself either", ["moved@2", "-"], { ...back, ...known(2, 2, { move }) }, "later start"],
    ["is not continued after another one's start", ["fenced", "switched"], known(3, 3, { move: third }), "later move"],
    ["is not continued after its own later start", ["fenced", "switched"], known(3, 3, { move }), "later move"],
    ["may end although the event log is behind", ["fenced@2", "running@2 signs"], known(1, 1, { move }), "close 2"],
    ["is continued after a later begin", ["fenced", "switched"], known(2, 1, { move }), "start 1"],
    ["goes back from a source of the last start", ["moved", "running signs"], { ...back, ...known(3, 1) }, "bulk 4"],
    ["begins nothing from an older one", ["moved", "running signs"], { ...back, ...known(3, 3) }, "later start"],
    // The source is an earlier snapshot, the target is reinstalled.
    ["begins nothing from one that knows none", none, known(3, 3, { move: third }), "later start"],
    ["begins nothing with an earlier confirmation", none, { ...known(3, 3), laterThan: 2 }, "later start"],
    ["begins with the confirmation of that start", none, { ...known(3, 3), laterThan: 3 }, "bulk 4"],
    ["begins nothing with it after the next start", none, { ...known(3, 4), laterThan: 3 }, "later start"],
    ["is not another pair's of its name", ["fenced", "switched"], { hosts: { old: "A", new: "C" } }, "other hosts"],
  ])("%s", (_what, states, wanted, expected) => {
    expect(next(states, wanted)).toBe(expected);
  });

  test.each<[string, readonly [string, string], Partial<Wanted>, Partial<Journal>]>([
    ["undone", ["restored@2 signs", "abandoned@2"], {}, {}],
    ["open", ["fenced@2", "switched@2"], {}, {}],
    ["to go back", ["moved@2", "running@2 signs"], back, {}],
    ["another stack's", ["- signs", "moved@2"], {}, { side: "old", move: third }],
  ])("is stopped by an event log behind it, unless that very move is confirmed: %s", (_what, states, way, at) => {
    const stops = (wanted: Partial<Wanted>) =>
      next(states, { ...way, ...known(1, 1, { move }), ...wanted }, { new: at }) === "log behind";
    const answers = [stops({}), stops({ laterThan: 1 }), stops({ laterThan: 2 }), stops(known(2, 1, { move }))];
    expect(answers).toEqual([true, true, false, false]);
  });

  test("is stopped by a number that no run wrote, whatever is confirmed, and the refusal does not name it", () => {
    const states = ["restored@1005 signs", "abandoned@1005"] as const;
    for (const wanted of [{}, { laterThan: 1005 }])
      expect(next(states, { ...known(4, 4, { move }), ...wanted })).toBe("strange number");
    expect(next(states, known(5, 5, { move }))).toBe("log behind");
    const { next: help } = describeUnknownHistory("strange number", commandsFor("prod"), 1005);
    expect(help).not.toMatch(/laterThanMove|1005/);
  });

  test.each([{ stage: "abandoned" }, { move: third }, { target: "C" }] as const)(
    "does not continue after its start was logged with another copy: %o",
    (other) => {
      const states = ["restored@2 signs", "staging@4"] as const;
      expect(next(states, known(4, 4, { move }), { new: other })).toMatch(/^later|another/);
    },
  );

  test.each([
    ["beside a source that another move runs", ["running@2", "switched@2"], { old: { move: third } }, "another move"],
    ["that the next move put there", ["stopping@2", "switched@2"], { new: { move: second } }, "later move"],
  ] as const)("starts nothing %s", (_what, states, journals, expected) => {
    expect(next(states, known(2, 1, { move }), journals)).toBe(expected);
  });

  test("is not blocked by a rollback that stopped nothing", () => {
    const copied = { direction: "back", source: "B", target: "A" } as const;
    const states = ["staging@4", "starting@3"] as const;
    expect(next(states, known(4, 4, { move }), { old: copied })).toBe("start 3");
    expect(next(states, { ...back, ...known(4, 4, { move }) }, { old: copied })).toBe("bulk 5");
    expect(next(["moved@3", "starting@3"], known(4, 4, { move }))).toBe("journals disagree");
  });

  test("takes the target of an earlier move of its name as a source", () => {
    expect(next(["running signs", "-"], { hosts: { old: "B", new: "C" } }, { old: { side: "new" } })).toBe("bulk 2");
  });

  test("logs its start once, before its source stops", () => {
    const saga = { move, direction: "forward", generation: 4 } as const;
    const leg = createLeg(saga, hosts);
    const begun = applyEvent({ generation: 3, started: 3, move: third }, "begun", move, leg);
    expect(begun).toEqual({ generation: 4, started: 3, move });
    const starting = applyEvent(begun, "starting", move, leg);
    expect(starting).toEqual({
      generation: 4,
      started: 4,
      startedOn: "B",
      startedFrom: "A",
      startedBy: move,
      move,
    });
    expect(applyEvent({ ...begun, generation: 9 }, "begun", move, leg)).toEqual({ ...begun, generation: 9 });
    expect(decideEvent("bulk", saga, begun)).toBe("begun");
    // The rule also applies to a run that continues another machine's move.
    for (const step of ["stop", "backup", "fence", "copy", "arrive", "start"] as const) {
      expect(decideEvent(step, saga, begun)).toBe("starting");
      expect(decideEvent(step, saga, { ...begun, started: 4 })).toBeUndefined();
    }
    for (const step of ["close", "seal", "restore"] as const) expect(decideEvent(step, saga, begun)).toBeUndefined();
  });
});

describe("a restore from a backup", () => {
  const lost = ["gone", "-"] as const;
  const startedOn = (host: string | undefined, generation = 3, startedFrom?: string) =>
    known(generation, generation, { startedOn: host, startedFrom, move: third });

  const openIn = (startedBy: MoveId) => known(3, 3, { startedOn: "B", startedFrom: "A", startedBy, move: third });

  test.each<[string, readonly [string, string], Partial<Wanted>, string]>([
    ["takes the place of a lost host with the last start", lost, startedOn("A"), "unpack 4"],
    ["begins nothing if the last start was on a third host", lost, startedOn("C"), "later start"],
    ["begins nothing if nobody knows where it was", lost, startedOn(undefined), "later start"],
    ["begins nothing if a third host may not have been left", lost, startedOn("A", 3, "C"), "later start"],
    ["begins nothing if that start was to come here", lost, startedOn("B", 3, "C"), "later start"],
    ["begins after a start between these hosts", lost, startedOn("B", 3, "A"), "unpack 4"],
    ["begins if that is confirmed", lost, { ...startedOn("A", 3, "C"), laterThan: 3 }, "unpack 4"],
    ["begins if no third host can start it", lost, { ...startedOn("C"), laterThan: 3 }, "unpack 4"],
    ["begins nothing with an earlier word", lost, { ...startedOn("C"), laterThan: 2 }, "later start"],
    ["begins in the attempt that is open", lost, openIn(move), "unpack 4"],
    ["begins nothing beside an open attempt", lost, openIn(second), "other attempt"],
    ["begins after an attempt that ended", lost, { ...openIn(second), ...startedOn("B") }, "unpack 4"],
    ["begins after another stack's attempt", lost, openIn(third), "unpack 4"],
    ["starts", ["gone", "switched@3"], startedOn("B"), "start 3"],
    ["is not started beside a restore on another host", ["gone", "switched@3"], startedOn("C"), "later move"],
    ["is taken back", ["gone", "switched@4"], { ...back, ...startedOn("B", 4) }, "seal 4"],
    ["ends so", ["- signs", "abandoned@4"], { ...back, ...startedOn("B", 4) }, "nothing to roll back"],
    ["stops the lost host's own stack", ["moved@3", "running@3 signs"], startedOn("C", 4), "later move"],
    ["does not stop its own", ["moved@3", "running@3 signs"], startedOn("B", 4), "moved"],
    ["stops no stack that knows it", ["moved@3", "running@3 signs"], startedOn("C", 3), "moved"],
  ])("%s", (_what, states, wanted, expected) => {
    const ofRestore = { new: { isRestore: true } };
    expect(next(states, { isRestore: true, ...wanted }, ofRestore, { isFenced: states[0] === "gone" })).toBe(expected);
  });

  test("is of another host's backup only if a start is known, or its operator says so", () => {
    const lostHost = { address: "198.51.100.7", hostKey: "A" };
    const another = { host: "192.0.2.4", hostKey: "C" };
    const isForeign = (...each: Parameters<typeof findForeignBackup>) => findForeignBackup(...each) !== undefined;
    expect(isForeign(another, lostHost, known(1, 0))).toBe(true);
    expect(isForeign(another, lostHost, known(1, 1))).toBe(false);
    expect(isForeign(another, lostHost, { ...known(1, 0), laterThan: 1 })).toBe(false);
    // A host that was renumbered or installed anew is the same.
    expect(isForeign({ ...another, hostKey: "A" }, lostHost, known(0, 0))).toBe(false);
    expect(isForeign({ host: "198.51.100.7" }, lostHost, known(0, 0))).toBe(false);
  });

  test("is logged as a start only right before it", () => {
    const saga = { move, direction: "forward", generation: 4, isRestore: true } as const;
    const logged = (["unpack", "arrive", "start", "seal"] as const).map((step) =>
      decideEvent(step, saga, { generation: 4, started: 3 }),
    );
    expect(logged).toEqual(["begun", undefined, "starting", undefined]);
  });

  test("needs a fence, and begins no move while the backup is configured", () => {
    expect(next(lost, { isRestore: true, ...startedOn("A") })).toBe("source unreachable");
    const isBack = ["- signs", "abandoned@4"] as const;
    const unstarted = { new: { isRestore: true } };
    expect(next(isBack, { isRestore: true, ...startedOn("B", 4) }, unstarted)).toBe("lost source answers");
    // Its start was logged, and the seal shows that nothing was started.
    expect(next(isBack, startedOn("B", 4), unstarted)).toBe("bulk 5");
    expect(next(isBack, startedOn("B", 4))).toBe("later start");
  });

  test.each([
    ["unpack", "gone", "staging", { isFenced: true }, true],
    ["start", "gone", "switched", { isFenced: true }, true],
    ["seal", "- signs", "switched", {}, true],
    ["copy", "fenced", "staging", {}, false],
    ["bulk", "- signs", "staging", {}, false],
  ] as const)("is what the step %s belongs to, or not", (step, old, fresh, memory, isRestore) => {
    const states = { old: exampleState("old", old), new: exampleState("new", fresh, { isRestore: true }) };
    const decision = decideNext({ move, direction: "forward", hosts }, states, { ...freshRun, ...memory });
    expect(decision).toMatchObject({ do: step, saga: { isRestore } });
  });

  test("is not undone; takes the orchestrator back to the host that gave it to the lost one", () => {
    const isFenced = true;
    expect(next(lost, { isRestore: true, ...startedOn("A") }, {}, { failed: true, isFenced })).toBe("undone");
    const restore = { ...startedOn("A"), isRestore: true, move: moveNamed("pillar-host/prod/Anvil/2") };
    const history = [{ stage: "running", at: "", move }];
    const gave = (target: string) => ({ side: "old", move: third, source: "B", target, history }) as const;
    expect(next(["gone", "moved@3"], restore, { new: gave("A") }, { isFenced })).toBe("unpack 4");
    expect(next(["gone", "moved@3"], restore, { new: gave("C") }, { isFenced })).toBe("another move");
  });
});

const at = "2026-01-01T00:00:00.000Z";
test("takes the first of two starts", () => {
  const way = { direction: "forward", generation: 2, source: "A" } as const;
  const start = (target: string) => ({ at, move, event: "starting", details: { ...way, target } }) as const;
  expect(findRivalStart([start("C"), start("B")], "Anvil", "B")).toBe("C");
  expect(findRivalStart([start("B"), start("C")], "Anvil", "B")).toBeUndefined();
  expect(findRivalStart([start("C")], "Other", "B")).toBeUndefined();
});

describe("a fence", () => {
  const way = { direction: "forward", generation: 2, source: "A" } as const;
  const start = (target: string) => ({ at, move, event: "starting", details: { ...way, target } }) as const;
  const fence = { address: "198.51.100.7", hostKey: "A", how: "sentence" } as const;
  const fenced = { at, move, event: "fenced", details: fence } as const;
  const unfenced = (hostKey: string) => ({ at, move, event: "unfenced", details: { ...fence, hostKey } }) as const;
  const confirmed = (key: string) =>
    ({ at, move, event: "confirmed", details: { key, value: "9f86d081884c" } }) as const;

  test.each<[string, readonly MoveEvent[], boolean]>([
    ["counts after an earlier start there", [start("A"), fenced], true],
    ["counts after a begin and a start elsewhere", [fenced, { ...start("B"), event: "begun" }, start("B")], true],
    ["ends with a start there", [fenced, start("A")], false],
    ["ends when its host is seen", [fenced, unfenced("A")], false],
    ["counts again after that", [fenced, unfenced("A"), fenced], true],
    ["ends with a line that was given up, which may have said that", [fenced, confirmed("lostLine")], false],
    ["does not end with another confirmation", [fenced, confirmed("laterThanMove")], true],
    ["does not end with another one", [fenced, unfenced("C")], true],
    ["is not that of another host", [{ ...fenced, details: { ...fence, hostKey: "C" } }], false],
    ["is not another Pillar's", [{ ...fenced, move: moveNamed("pillar-host/prod/Other/1") }], false],
  ])("%s", (_what, events, isThere) => {
    expect(findFence(events, "Anvil", "A")).toEqual(isThere ? fenced : undefined);
  });

  test("by a sentence counts for an hour, and one by a provider as long as that says off", () => {
    const faultAfter = (ms: number) => findFenceFault(fenced, Date.parse(at) + ms, undefined);
    expect([faultAfter(0), faultAfter(3_599_999)]).toEqual([undefined, undefined]);
    // A clock that ran ahead would make it count for longer.
    for (const ms of [3_600_000, -1]) expect(faultAfter(ms)).toContain(`given at ${at}, counts for an hour`);
    const off = { ...fenced, details: { ...fence, how: "off" } } as const;
    expect(findFenceFault(off, Date.parse(at) + 7_200_000, "off")).toBeUndefined();
    for (const power of ["running", "gone", undefined])
      expect(findFenceFault(off, Date.parse(at), power)).toContain("is off");
  });
});

test("the history covers all stacks of a Pillar, and no other Pillar", () => {
  const way = { direction: "forward", source: "A", target: "B" } as const;
  const others = moveNamed("pillar-host/prod/Other/1");
  const events = [
    { at, move, event: "starting", details: { ...way, generation: 1 } },
    { at, move: third, event: "begun", details: { ...way, generation: 2 } },
    { at, move: others, event: "starting", details: { ...way, generation: 9 } },
    { at, move, event: "failed", details: {} },
  ] as const;
  const open = { generation: 2, started: 1, startedOn: "B", startedFrom: "A", startedBy: move, move: third };
  expect(summarizeMoves(events, move)).toEqual(open);
  expect(summarizeMoves(events, move, 4)).toEqual({ generation: 4, started: 4, move });
  const end = (event: "done" | "rolledBack", generation: number) =>
    ({ at, move, event, details: { holder: "new", generation, version: "v1", movedAt: at } }) as const;
  for (const event of ["done", "rolledBack"] as const)
    expect(summarizeMoves([...events, end(event, 1)], move)).toEqual({ ...open, startedFrom: undefined });
  // The end of an earlier start ends nothing; the end of a start that the log lacks names no host.
  const next = { ...events[0], details: { ...way, source: "B", target: "C", generation: 3 } };
  const later = { ...open, generation: 3, started: 3, startedOn: "C", startedFrom: "B", move };
  expect(summarizeMoves([...events, next, end("done", 1)], move)).toEqual(later);
  expect(summarizeMoves([...events, end("done", 3)], move)).toEqual({
    generation: 3,
    started: 3,
    startedBy: move,
    move,
  });
});

test("finds the missing end of a saga whose target signs", () => {
  const way = { source: "A", target: "B", generation: 1 } as const;
  const there = { at, move, event: "starting", details: { ...way, direction: "forward" } } as const;
  const back = { at, move, event: "starting", details: { ...way, direction: "back", generation: 2 } } as const;
  const end = { holder: "new", generation: 1, version: "v1", movedAt: at } as const;
  const failed = { at, move, event: "failed", details: {} } as const;
  expect(findMissingEnd([there, failed], move, "new")).toEqual(there.details);
  expect(findMissingEnd([there, { at, move, event: "done", details: end }, back], move, "old")).toEqual(back.details);
  expect(findMissingEnd([there], move, "old")).toBeUndefined();
  expect(findMissingEnd([there, { at, move, event: "done", details: end }], move, "new")).toBeUndefined();
  expect(findMissingEnd([{ ...there, event: "begun" }], move, "new")).toBeUndefined();
  expect(findMissingEnd([there], third, "new")).toBeUndefined();
  // A way back that stopped nobody, or whose source came back, ends nothing; nor does a way that begins.
  expect(findMissingEnd([there, back], move, "new")).toEqual(there.details);
  expect(findMissingEnd([there, { ...back, event: "begun" }], move, "new")).toEqual(there.details);
  expect(findMissingEnd([there, { at, move, event: "done", details: end }, back], move, "new")).toBeUndefined();
});
