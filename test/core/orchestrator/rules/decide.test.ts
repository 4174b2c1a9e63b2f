import { describe, expect, test } from "vitest";
import {
  decideMove,
  type MoveDecision,
  type Obstacle,
  type RunMemory,
} from "../../../../core/orchestrator/rules/decideMove";
import type { HostState, OrchestratorObservation } from "../../../../core/orchestrator/rules/hostStates";
import type { Journal, Saga } from "../../../../core/orchestrator/rules/journal";
import { moveNamed } from "../../../moveNamed";
import { exampleJournal } from "../exampleMove";

const saga: Saga = { move: moveNamed("pillar-host/prod/Anvil/1"), direction: "forward" };
const fresh: RunMemory = { bulkCopied: false, stopped: false, backedUp: false, failed: false };
const failed: RunMemory = { ...fresh, failed: true };

const old = (stage?: Journal["stage"], more: Partial<OrchestratorObservation> = {}) => ({
  ...(stage ? { journal: exampleJournal("old", stage) } : {}),
  active: false,
  masked: true,
  ...more,
});
const target = (stage?: Journal["stage"], more: Partial<OrchestratorObservation> = {}) => ({
  ...(stage ? { journal: exampleJournal("new", stage) } : {}),
  active: false,
  masked: true,
  ...more,
});
const runs = { active: true, masked: false };
const stopsFor = (why: Obstacle): unknown => expect.objectContaining({ do: "stop here", why });

describe("decide", () => {
  test("rolls nothing back after another stack's rollback ended on the old host", () => {
    const others = { move: moveNamed("pillar-host/before/Anvil/1"), direction: "back", side: "new" } as const;
    const looks = { old: { ...old(), journal: exampleJournal("new", "moved", others) }, new: target() };
    expect(decideMove({ ...saga, direction: "back" }, looks, fresh)).toEqual({
      do: "done",
      holder: "old",
      why: "nothing to roll back",
    });
  });

  test.each<[string, HostState, HostState, unknown, RunMemory?]>([
    [
      "an orchestrator runs on the new host before the move",
      old(undefined, runs),
      target(undefined, runs),
      stopsFor("target runs unasked"),
    ],
    [
      "an orchestrator runs on the new host after the copy is proved",
      old("fenced"),
      target("staged", runs),
      stopsFor("target runs unasked"),
    ],
    [
      "the old host runs again although it is masked",
      old("fenced", { active: true }),
      target("staged"),
      stopsFor("source runs unasked"),
    ],
    [
      "the old host is unmasked, and does not run yet",
      old("fenced", { masked: false }),
      target("switched"),
      stopsFor("source runs unasked"),
    ],
    [
      "the old host is unmasked before the copy",
      old("fenced", { masked: false }),
      target("staging"),
      stopsFor("source runs unasked"),
    ],
    [
      "a run that did not stop the old host stops it again, because its files were not listed since",
      old("stopping"),
      target("staging"),
      { do: "stop", saga },
    ],
    ["an unreachable old host stops the copy", undefined, target("staging"), stopsFor("source unreachable")],
    [
      "a failed start of the new host in this run undoes nothing",
      old("fenced"),
      target("starting"),
      stopsFor("target is started"),
      failed,
    ],
    [
      "the old host came back while the new host's copy is proved",
      old("restored"),
      target("staged"),
      stopsFor("journals disagree"),
    ],
    [
      "the old host was never fenced while the new host's copy is proved",
      old("stopping"),
      target("staged"),
      stopsFor("journals disagree"),
    ],
    ["a missing seal is written first", old("fenced"), target("staged"), { do: "seal", saga }, failed],
    [
      "an orchestrator runs on a new host without a seal while the old host is restored",
      old("restoring"),
      target(undefined, runs),
      stopsFor("target runs unasked"),
      failed,
    ],
    [
      "the old host's restoration continues with a seal",
      old("restoring"),
      target("abandoned"),
      { do: "restore", saga },
      failed,
    ],
    [
      "an unmasked new host is sealed again",
      old("fenced"),
      target("abandoned", { masked: false }),
      { do: "seal", saga },
      failed,
    ],
    [
      "a running new host is sealed again",
      old("fenced"),
      target("abandoned", { active: true }),
      { do: "seal", saga },
      failed,
    ],
    [
      "a new host with the copy in place is sealed again",
      old("fenced"),
      target("abandoned", { inPlace: true }),
      { do: "seal", saga },
      failed,
    ],
    ["a complete seal allows the restoration", old("fenced"), target("abandoned"), { do: "restore", saga }, failed],
  ])("decides the next step: %s", (_what, before, after, expected, memory = fresh) => {
    expect(decideMove(saga, { old: before, new: after }, memory)).toEqual(expected);
  });

  test.each<[string, HostState, HostState, Saga["direction"], Saga["direction"]]>([
    ["a restored snapshot of the old host", old(undefined, runs), target("running", runs), "forward", "forward"],
    ["a removed fence of the old host", old("moved", runs), target("running", runs), "forward", "forward"],
    ["an orchestrator on the new host without a move", old(undefined, runs), target(undefined, runs), "back", "back"],
  ])("reports that two may sign: %s", (_what, before, after, way, leaves) => {
    const expected: MoveDecision = { do: "stop here", saga: { ...saga, direction: leaves }, why: "two may sign" };
    expect(decideMove({ ...saga, direction: way }, { old: before, new: after }, fresh)).toEqual(expected);
  });

  test("stays done if the other host is unreachable or merely not fenced", () => {
    for (const side of [undefined, old("moved", { masked: false })] as const)
      expect(decideMove(saga, { old: side, new: target("running", runs) }, fresh)).toMatchObject({
        do: "done",
        why: "moved",
      });
  });

  test("does not continue another stack's move on these hosts", () => {
    const theirs = { move: moveNamed("pillar-host/other/Anvil/1") };
    for (const direction of ["forward", "back"] as const)
      for (const stage of ["stopping", "fenced"] as const) {
        const side = direction === "forward" ? "old" : "new";
        const look = { journal: exampleJournal(side, stage, { ...theirs, direction }), active: false, masked: true };
        const looks = side === "old" ? { old: look, new: target() } : { old: old(), new: look };
        expect(decideMove({ ...saga, direction }, looks, fresh)).toMatchObject({
          do: "stop here",
          why: "another move",
          saga: theirs,
        });
      }
  });

  test("does not continue it after this move's end, either", () => {
    const at = { active: false, masked: true };
    const move = moveNamed("pillar-host/other/Anvil/1");
    for (const stage of ["stopping", "fenced", "moved", "restored"] as const)
      expect(
        decideMove(
          saga,
          { old: { journal: exampleJournal("old", stage, { move }), ...at }, new: target("running", runs) },
          fresh,
        ),
      ).toEqual({ do: "done", holder: "new", why: "moved" });
  });
});
