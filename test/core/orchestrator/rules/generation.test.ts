import { describe, expect, test } from "vitest";
import type { RunMemory } from "../../../../core/orchestrator/rules/decideMove";
import { applyEvent, decideEvent, decideNext, type Wanted } from "../../../../core/orchestrator/rules/generation";
import type { OrchestratorObservation } from "../../../../core/orchestrator/rules/hostStates";
import type { Journal, WhichHost } from "../../../../core/orchestrator/rules/journal";
import {
  findFence,
  findMissingEnd,
  findRivalStart,
  summarizeMoves,
} from "../../../../core/orchestrator/rules/moveHistory";
import { moveNamed } from "../../../moveNamed";
import { exampleJournal } from "../exampleMove";

const move = moveNamed("pillar-host/prod/Anvil/1");
const third = moveNamed("pillar-host/third/Anvil/1");
const wanted: Wanted = { move, direction: "forward", hosts: { old: "A", new: "B" } };
const fresh: RunMemory = { bulkCopied: false, stopped: false, backedUp: false, failed: false };
const known = { generation: 3, started: 3, move: third };

const journal = (side: WhichHost, stage: Journal["stage"], generation: number, more: Partial<Journal> = {}) =>
  exampleJournal(side, stage, { generation, ...more });
const still = (found?: Journal): OrchestratorObservation => ({
  ...(found ? { journal: found } : {}),
  active: false,
  masked: true,
});
const signs = (found?: Journal): OrchestratorObservation => ({ ...still(found), active: true, masked: false });
const stopsFor = (why: string): unknown => expect.objectContaining({ do: "stop here", why });

describe("the generation of a move", () => {
  test("is one more than hosts and event log know", () => {
    const before = { old: signs(), new: still() };
    expect(decideNext(wanted, before, fresh)).toMatchObject({ do: "bulk", saga: { generation: 1 } });
    const begun = { ...known, started: 0 };
    expect(decideNext({ ...wanted, known: begun }, before, fresh)).toMatchObject({
      do: "bulk",
      saga: { generation: 4 },
    });
    const undone = { old: signs(journal("old", "restored", 7)), new: still(journal("new", "abandoned", 7)) };
    expect(decideNext({ ...wanted, known: { ...known, generation: 7 } }, undone, fresh)).toMatchObject({
      do: "bulk",
      saga: { generation: 8 },
    });
  });

  test("an event log that is behind a host stops everything, unless the operator confirms that very move", () => {
    const known = { generation: 1, started: 1, move };
    const undone = { old: signs(journal("old", "restored", 2)), new: still(journal("new", "abandoned", 2)) };
    const open = { old: still(journal("old", "fenced", 2)), new: still(journal("new", "switched", 2)) };
    const back = { old: still(journal("old", "moved", 2)), new: signs(journal("new", "running", 2)) };
    const others = { old: signs(), new: still(journal("old", "moved", 2, { move: third })) };
    for (const [looks, direction] of [
      [undone, "forward"],
      [open, "forward"],
      [back, "back"],
      [others, "forward"],
    ] as const) {
      const set = { ...wanted, direction, known };
      expect(decideNext(set, looks, fresh)).toMatchObject({ why: "record behind", saga: { generation: 2 } });
      expect(decideNext({ ...set, laterThan: 1 }, looks, fresh)).toEqual(stopsFor("record behind"));
      expect(decideNext({ ...set, laterThan: 2 }, looks, fresh)).not.toEqual(stopsFor("record behind"));
      expect(decideNext({ ...set, known: { ...known, generation: 2 } }, looks, fresh)).not.toEqual(
        stopsFor("record behind"),
      );
    }
    const ended = { old: still(journal("old", "fenced", 2)), new: signs(journal("new", "running", 2)) };
    expect(decideNext({ ...wanted, known }, ended, fresh)).toMatchObject({ do: "close" });
  });

  test("an unknown orchestrator moves only if the operator confirms it, once", () => {
    const none = { ...wanted, known: { generation: 0, started: 0 } };
    const looks = { old: signs(), new: still() };
    expect(decideNext(none, looks, fresh)).toEqual(stopsFor("first move"));
    expect(decideNext({ ...none, isFirst: true }, looks, fresh)).toMatchObject({ do: "bulk", saga: { generation: 1 } });
    expect(decideNext({ ...none, known: { generation: 1, started: 0, move } }, looks, fresh)).toMatchObject({
      do: "bulk",
      saga: { generation: 2 },
    });
    const heard = { ...looks, new: still(journal("new", "abandoned", 1)) };
    expect(decideNext({ ...none, laterThan: 1 }, heard, fresh)).toMatchObject({ do: "bulk" });
  });

  test("continues a run that was killed between the event of its start and the stop", () => {
    const known = { generation: 4, started: 4, move };
    const looks = { old: signs(journal("old", "restored", 2)), new: still(journal("new", "staging", 4)) };
    const set = { ...wanted, known };
    expect(decideNext(set, looks, fresh)).toMatchObject({ do: "bulk", saga: { generation: 5 } });
    const later = { ...set, known: { ...known, generation: 5, started: 5 } };
    expect(decideNext(later, looks, fresh)).toEqual(stopsFor("later start"));
    for (const other of [{ stage: "abandoned" }, { move: third }, { target: "C" }] as const) {
      const copied = { ...looks, new: still(journal("new", "staging", 4, other)) };
      expect(decideNext(set, copied, fresh)).toMatchObject({ do: "stop here" });
    }
  });

  test("a rollback that stopped nothing does not block the move", () => {
    const looks = {
      old: still(journal("old", "staging", 4, { direction: "back", source: "B", target: "A" })),
      new: still(journal("new", "starting", 3)),
    };
    const set = { ...wanted, known: { generation: 4, started: 4, move } };
    expect(decideNext(set, looks, fresh)).toMatchObject({ do: "start", saga: { generation: 3 } });
    expect(decideNext({ ...set, direction: "back" }, looks, fresh)).toMatchObject({ do: "bulk" });
    const past = { ...looks, old: still(journal("old", "moved", 3)) };
    expect(decideNext(set, past, fresh)).toMatchObject({ do: "stop here" });
  });

  test("logs a saga's start once, before its source stops", () => {
    const saga = { move, direction: "forward", generation: 4 } as const;
    const begun = applyEvent(known, "begun", saga);
    expect(begun).toEqual({ generation: 4, started: 3, move });
    expect(applyEvent(begun, "starting", saga)).toEqual({ generation: 4, started: 4, move });
    expect(applyEvent({ ...begun, generation: 9 }, "begun", saga)).toEqual({ ...begun, generation: 9 });
    expect(decideEvent("bulk", saga, known)).toBe("begun");
    // The rule also applies to a run that continues another machine's move.
    for (const step of ["stop", "backup", "fence", "copy", "arrive", "start"] as const) {
      expect(decideEvent(step, saga, begun)).toBe("starting");
      expect(decideEvent(step, saga, { ...begun, started: 4 })).toBeUndefined();
    }
    for (const step of ["close", "seal", "restore"] as const) expect(decideEvent(step, saga, begun)).toBeUndefined();
  });

  test("is kept by the run that continues", () => {
    const looks = { old: still(journal("old", "fenced", 5)), new: still(journal("new", "switched", 5)) };
    expect(decideNext(wanted, looks, fresh)).toEqual({
      do: "start",
      saga: { move, direction: "forward", generation: 5 },
    });
  });

  test("copies again to a target that was set back, and does not start its old copy", () => {
    const looks = { old: still(journal("old", "fenced", 2)), new: still(journal("new", "switched", 1)) };
    expect(decideNext(wanted, looks, fresh)).toMatchObject({ do: "copy", saga: { generation: 2 } });
  });

  test("does not continue an open saga if a later start is recorded", () => {
    const looks = { old: still(journal("old", "fenced", 1)), new: still(journal("new", "switched", 1)) };
    expect(decideNext({ ...wanted, known }, looks, fresh)).toEqual(stopsFor("later move"));
    expect(decideNext({ ...wanted, known: { ...known, move } }, looks, fresh)).toEqual(stopsFor("later move"));
    const own = { generation: 2, started: 1, move };
    expect(decideNext({ ...wanted, known: own }, looks, fresh)).toMatchObject({ do: "start" });
  });

  test("begins nothing from a source whose journal is older than the last start", () => {
    const back: Wanted = { ...wanted, direction: "back", known };
    const looks = { old: still(journal("old", "moved", 1)), new: signs(journal("new", "running", 1)) };
    expect(decideNext(back, looks, fresh)).toEqual(stopsFor("later start"));
    expect(decideNext({ ...back, known: { ...known, started: 1 } }, looks, fresh)).toMatchObject({ do: "bulk" });
  });

  test("begins nothing from a source without a journal if a start is recorded, unless the operator confirms that start", () => {
    // Neither host knows of the move: the source is an earlier snapshot, the target is reinstalled.
    const looks = { old: signs(), new: still() };
    const set = { ...wanted, known };
    expect(decideNext(set, looks, fresh)).toEqual({
      do: "stop here",
      saga: { move: third, direction: "forward", generation: 3 },
      why: "later start",
    });
    expect(decideNext({ ...set, laterThan: 2 }, looks, fresh)).toEqual(stopsFor("later start"));
    expect(decideNext({ ...set, laterThan: 3 }, looks, fresh)).toMatchObject({ do: "bulk", saga: { generation: 4 } });
    expect(decideNext({ ...set, known: { ...known, started: 4 }, laterThan: 3 }, looks, fresh)).toEqual(
      stopsFor("later start"),
    );
  });

  test("does not continue another pair's open move with the same name and number", () => {
    const looks = { old: still(journal("old", "fenced", 1)), new: still(journal("new", "switched", 1)) };
    const elsewhere = { ...wanted, hosts: { old: "A", new: "C" } };
    expect(decideNext(elsewhere, looks, fresh)).toEqual(stopsFor("other hosts"));
  });

  test("accepts the target of an earlier move of this name as a source", () => {
    const looks = { old: signs(journal("new", "running", 1)), new: still() };
    const next = decideNext({ ...wanted, hosts: { old: "B", new: "C" } }, looks, fresh);
    expect(next).toMatchObject({ do: "bulk", saga: { generation: 2 } });
  });
});

describe("a restore from a backup", () => {
  const restore: Wanted = { ...wanted, isRestore: true, known: { generation: 3, started: 3, startedOn: "A" } };
  const lost = { old: undefined, new: still() };

  test("takes the place of a lost host that the orchestrator was started on last", () => {
    expect(decideNext(restore, lost, fresh)).toMatchObject({ do: "unpack", saga: { generation: 4 } });
    expect(decideNext({ ...restore, isRestore: false }, lost, fresh)).toEqual(stopsFor("source unreachable"));
  });

  test("begins nothing if the orchestrator was started on a third host, or nobody knows where", () => {
    for (const startedOn of ["C", undefined]) {
      const elsewhere = { ...restore, known: { generation: 3, started: 3, startedOn } };
      expect(decideNext(elsewhere, lost, fresh)).toEqual(stopsFor("later start"));
    }
  });

  test("is not undone, and not started beside a restore on another host", () => {
    const arrived = { old: undefined, new: still(journal("new", "switched", 3)) };
    expect(decideNext(restore, lost, { ...fresh, failed: true })).toMatchObject({ do: "done", why: "undone" });
    const ours = { ...restore, known: { generation: 3, started: 3, startedOn: "B" } };
    expect(decideNext(ours, arrived, fresh)).toMatchObject({ do: "start" });
    const theirs = { ...restore, known: { generation: 3, started: 3, startedOn: "C" } };
    expect(decideNext(theirs, arrived, fresh)).toEqual(stopsFor("later move"));
  });

  test("takes the orchestrator back to the host that gave it to the lost one", () => {
    const gave = (target: string) =>
      journal("old", "moved", 3, { move: third, source: "B", target, history: [{ stage: "running", at: "", move }] });
    const known = { generation: 3, started: 3, startedOn: "A", move: third };
    const restoreAgain = { ...restore, known, move: moveNamed("pillar-host/prod/Anvil/2") };
    expect(decideNext(restoreAgain, { old: undefined, new: still(gave("A")) }, fresh)).toMatchObject({
      do: "unpack",
      saga: { generation: 4 },
    });
    expect(decideNext(restoreAgain, { old: undefined, new: still(gave("C")) }, fresh)).toMatchObject({
      do: "stop here",
    });
  });

  test("is taken back by a rollback while it is not started, once the lost host is back", () => {
    const back: Wanted = { ...restore, direction: "back" };
    const staged = { old: signs(), new: still(journal("new", "switched", 4)) };
    const known = { generation: 4, started: 4, startedOn: "B" };
    expect(decideNext({ ...restore, known }, staged, fresh)).toEqual(stopsFor("lost source is back"));
    expect(decideNext({ ...back, known }, staged, fresh)).toMatchObject({ do: "seal", saga: { generation: 4 } });
    expect(decideNext({ ...back, known }, { ...staged, old: undefined }, fresh)).toEqual(
      stopsFor("source unreachable"),
    );
    const sealed = { old: signs(), new: still(journal("new", "abandoned", 4)) };
    expect(decideNext({ ...back, known }, sealed, fresh)).toMatchObject({ do: "done", holder: "old" });
  });

  test("makes the lost host's own stack stop, once that host is back", () => {
    const ended = { old: still(journal("old", "moved", 3)), new: signs(journal("new", "running", 3)) };
    const known = { generation: 4, started: 4, startedOn: "C", move: third };
    expect(decideNext({ ...wanted, known }, ended, fresh)).toMatchObject({ why: "later move", saga: { move: third } });
    expect(decideNext({ ...wanted, known: { ...known, startedOn: "B" } }, ended, fresh)).toMatchObject({
      why: "moved",
    });
    expect(decideNext({ ...wanted, known: { ...known, started: 3 } }, ended, fresh)).toMatchObject({ why: "moved" });
  });

  test("takes the first of two starts, and a fence of just now or before its own begin", () => {
    const at = "2026-01-01T00:00:00.000Z";
    const [now, later] = [Date.parse(at) + 60_000, Date.parse(at) + 7_200_000];
    const way = { direction: "forward", generation: 2, source: "A" } as const;
    const start = (target: string) => ({ at, move, event: "starting", details: { ...way, target } }) as const;
    const begun = { at, move, event: "begun", details: { ...way, target: "B" } } as const;
    const fence = { address: "198.51.100.7", hostKey: "A", how: "off" } as const;
    const fenced = [start("A"), { at, move, event: "fenced", details: fence } as const];
    expect(findRivalStart([start("C"), start("B")], "Anvil", "B")).toBe("C");
    expect(findRivalStart([start("B"), start("C")], "Anvil", "B")).toBeUndefined();
    expect(findRivalStart([start("C")], "Other", "B")).toBeUndefined();
    expect(findFence(fenced, move, "A", now)).toEqual(fence);
    expect(findFence(fenced, move, "A", later)).toBeUndefined();
    expect(findFence([...fenced, begun], move, "A", later)).toEqual(fence);
    expect(findFence([...fenced, begun], third, "A", later)).toBeUndefined();
    expect(findFence([...fenced, start("A")], move, "A", now)).toBeUndefined();
    expect(findFence(fenced, moveNamed("pillar-host/prod/Other/1"), "A", now)).toBeUndefined();
  });
});

test("the history covers all stacks of a Pillar, and no other Pillar", () => {
  const way = { direction: "forward", source: "A", target: "B" } as const;
  const at = "2026-01-01T00:00:00.000Z";
  const others = moveNamed("pillar-host/prod/Other/1");
  const events = [
    { at, move, event: "starting", details: { ...way, generation: 1 } },
    { at, move: third, event: "begun", details: { ...way, generation: 2 } },
    { at, move: others, event: "starting", details: { ...way, generation: 9 } },
    { at, move, event: "failed", details: {} },
  ] as const;
  expect(summarizeMoves(events, move)).toEqual({ generation: 2, started: 1, startedOn: "B", move: third });
  expect(summarizeMoves(events, move, 4)).toEqual({ generation: 4, started: 4, move });
});

test("finds the missing end of a saga whose target signs", () => {
  const way = { source: "A", target: "B", generation: 1 } as const;
  const at = "2026-01-01T00:00:00.000Z";
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
