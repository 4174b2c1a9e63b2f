import { describe, expect, test } from "vitest";
import type { RunMemory } from "../../../core/orchestrator/decide";
import { decideNext, type Wanted } from "../../../core/orchestrator/generation";
import type { Journal, SideName } from "../../../core/orchestrator/journal";
import { knownOf, unrecordedEnd } from "../../../core/orchestrator/known";
import type { SideObservation } from "../../../core/orchestrator/sagaLooks";
import { moveNamed } from "../../moveNamed";

const move = moveNamed("pillar-host/prod/Anvil/1");
const third = moveNamed("pillar-host/third/Anvil/1");
const wanted: Wanted = { move, direction: "forward", hosts: { old: "A", new: "B" } };
const fresh: RunMemory = { bulkCopied: false, stopped: false, backedUp: false, failed: false };
const known = { generation: 3, started: 3, move: third };

const journal = (
  side: SideName,
  stage: Journal["stage"],
  generation: number,
  more: Partial<Journal> = {},
): Journal => ({
  ...{ version: 1, move, direction: "forward", generation, source: "A", target: "B", side, stage, at: "" },
  ...{ was: {}, identity: null, history: [], other: { address: "", hostKey: "" } },
  ...more,
});
const still = (found?: Journal): SideObservation => ({
  ...(found ? { journal: found } : {}),
  ...{ active: false, masked: true },
});
const signs = (found?: Journal): SideObservation => ({ ...still(found), active: true, masked: false });
const stopsFor = (why: string): unknown => expect.objectContaining({ do: "stop here", why });

describe("the generation of a move", () => {
  test("is one more than what the hosts, or the record, know", () => {
    const before = { old: signs(), new: still() };
    expect(decideNext(wanted, before, fresh)).toMatchObject({ do: "bulk", saga: { generation: 1 } });
    const begun = { ...known, started: 0 };
    expect(decideNext({ ...wanted, known: begun }, before, fresh)).toMatchObject({
      do: "bulk",
      saga: { generation: 4 },
    });
    const undone = { old: signs(journal("old", "restored", 7)), new: still(journal("new", "abandoned", 7)) };
    expect(decideNext({ ...wanted, known }, undone, fresh)).toMatchObject({ do: "bulk", saga: { generation: 8 } });
  });

  test("is not taken from a journal that is far beyond the record", () => {
    const begun = { ...known, generation: 3, started: 0 };
    const from = (generation: number) =>
      decideNext(
        { ...wanted, known: begun },
        { old: signs(journal("old", "restored", generation)), new: still() },
        fresh,
      );
    expect(from(1003)).toMatchObject({ do: "bulk", saga: { generation: 1004 } });
    expect(from(1004)).toEqual(stopsFor("odd generation"));
  });

  test("is kept by whoever goes on", () => {
    const looks = { old: still(journal("old", "fenced", 5)), new: still(journal("new", "switched", 5)) };
    expect(decideNext(wanted, looks, fresh)).toEqual({
      do: "start",
      saga: { move, direction: "forward", generation: 5 },
    });
  });

  test("a target that was set back to an earlier try is copied to anew, and its old copy not started", () => {
    const looks = { old: still(journal("old", "fenced", 2)), new: still(journal("new", "switched", 1)) };
    expect(decideNext(wanted, looks, fresh)).toMatchObject({ do: "copy", saga: { generation: 2 } });
  });

  test("what lies open is not gone on with where a later start is recorded", () => {
    const looks = { old: still(journal("old", "fenced", 1)), new: still(journal("new", "switched", 1)) };
    expect(decideNext({ ...wanted, known }, looks, fresh)).toEqual(stopsFor("later move"));
    expect(decideNext({ ...wanted, known: { ...known, move } }, looks, fresh)).toEqual(stopsFor("later move"));
    const own = { generation: 2, started: 1, move };
    expect(decideNext({ ...wanted, known: own }, looks, fresh)).toMatchObject({ do: "start" });
  });

  test("a source whose journal is older than the last start begins nothing", () => {
    const back: Wanted = { ...wanted, direction: "back", known };
    const looks = { old: still(journal("old", "moved", 1)), new: signs(journal("new", "running", 1)) };
    expect(decideNext(back, looks, fresh)).toEqual(stopsFor("later start"));
    expect(decideNext({ ...back, known: { ...known, started: 1 } }, looks, fresh)).toMatchObject({ do: "bulk" });
  });

  test("nor does one without a journal where any start is recorded, but by the operator's word about that very start", () => {
    // Both as before they knew of each other: the source set back, the target installed anew.
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

  test("other hosts' open move is not gone on with, though it has this one's name and number", () => {
    const looks = { old: still(journal("old", "fenced", 1)), new: still(journal("new", "switched", 1)) };
    const elsewhere = { ...wanted, hosts: { old: "A", new: "C" } };
    expect(decideNext(elsewhere, looks, fresh)).toEqual(stopsFor("other hosts"));
  });

  test("a host that was the new one of a move of this name is a source like another", () => {
    const looks = { old: signs(journal("new", "running", 1)), new: still() };
    const next = decideNext({ ...wanted, hosts: { old: "B", new: "C" } }, looks, fresh);
    expect(next).toMatchObject({ do: "bulk", saga: { generation: 2 } });
  });
});

test("the record tells of all stacks of a Pillar, and of none of another", () => {
  const way = { direction: "forward", source: "A", target: "B" } as const;
  const at = "2026-01-01T00:00:00.000Z";
  const others = moveNamed("pillar-host/prod/Other/1");
  const events = [
    { at, move, event: "starting", details: { ...way, generation: 1 } },
    { at, move: third, event: "begun", details: { ...way, generation: 2 } },
    { at, move: others, event: "starting", details: { ...way, generation: 9 } },
    { at, move, event: "failed", details: {} },
  ] as const;
  expect(knownOf(events, move)).toEqual({ generation: 2, started: 1, move: third });
  expect(knownOf(events, move, 4)).toEqual({ generation: 4, started: 4, move });
});

test("a way whose target signs has an end, though the run that came to it did not write it down", () => {
  const way = { source: "A", target: "B", generation: 1 } as const;
  const at = "2026-01-01T00:00:00.000Z";
  const there = { at, move, event: "starting", details: { ...way, direction: "forward" } } as const;
  const back = { at, move, event: "starting", details: { ...way, direction: "back", generation: 2 } } as const;
  const end = { holder: "new", generation: 1, version: "v1", movedAt: at } as const;
  const failed = { at, move, event: "failed", details: {} } as const;
  expect(unrecordedEnd([there, failed], move, "new")).toEqual(there.details);
  expect(unrecordedEnd([there, { at, move, event: "done", details: end }, back], move, "old")).toEqual(back.details);
  expect(unrecordedEnd([there], move, "old")).toBeUndefined();
  expect(unrecordedEnd([there, { at, move, event: "done", details: end }], move, "new")).toBeUndefined();
  expect(unrecordedEnd([{ ...there, event: "begun" }], move, "new")).toBeUndefined();
  expect(unrecordedEnd([there], third, "new")).toBeUndefined();
});
