import { expect, test } from "vitest";
import type { MoveEvent } from "../../../../core/eventLog/events.ts";
import {
  confirmFor,
  listConfirmations,
  listNewConfirmations,
} from "../../../../core/orchestrator/rules/confirmations.ts";
import { boundLaterThan } from "../../../../core/orchestrator/rules/generation.ts";
import { summarizeMoves } from "../../../../core/orchestrator/rules/moveHistory.ts";
import { commandsFor } from "../../../../core/util/commands.ts";
import { exampleMove as move } from "../exampleMove.ts";

const at = "2026-11-29T18:00:00.000Z";
const leg = (generation: number) => ({ direction: "forward", generation, source: "A", target: "B" }) as const;
const starting = (generation: number): MoveEvent => ({ at, move, event: "starting", details: leg(generation) });
const end = (generation: number): MoveEvent => ({
  ...{ at, move, event: "done" },
  details: { holder: "new", generation, version: "v1", movedAt: at },
});
const halted: MoveEvent = { at, move, event: "confirmed", details: { key: "haltedBridge", value: 1 } };

test.each<[string, number | undefined, readonly MoveEvent[], boolean]>([
  ["none", undefined, [], false],
  ["one for the next start", 1, [], true],
  ["one for a later start", 2, [], false],
  ["one that a start used", 1, [halted, starting(1)], true],
  ["one of a start that ended", 1, [halted, starting(1), end(1)], false],
  ["one that was typed while a start was open", 2, [starting(1)], true],
  ["one of an earlier start, while another is open", 1, [halted, starting(1), end(1), starting(2)], false],
  ["one that no run relied on", 1, [starting(1)], false],
  ["one for the start after an end", 2, [halted, starting(1), end(1)], true],
])("counts for one start: %s", (_what, haltedBridge, events, isGiven) => {
  const options = { haltedBridge, noKeyShare: undefined };
  const known = summarizeMoves(events, move);
  const command = `pulumi config set --path pillar-host:orchestrator.haltedBridge ${known.started + 1} -s prod`;
  expect(confirmFor(options, known, commandsFor("prod")).haltedBridge).toEqual({ isGiven, command });
});

test("an earlier move's confirmation counts for no other move", () => {
  const other = { ...move, attempt: 2 };
  const known = summarizeMoves([halted, starting(1)], other);
  const options = { haltedBridge: 1, noKeyShare: undefined };
  expect(confirmFor(options, known, commandsFor("prod")).haltedBridge.isGiven).toBe(false);
});

test("each confirmation on which a run relies is logged once", () => {
  const set = { noKeyShare: 1, haltedBridge: 1, firstMove: true, laterThanMove: 1 } as const;
  const known = summarizeMoves([halted], move);
  expect(listNewConfirmations(set, known, 0).map(({ key }) => key)).toEqual([
    "noKeyShare",
    "firstMove",
    "laterThanMove",
  ]);
  expect(listNewConfirmations(set, summarizeMoves([starting(2)], move), 2)).toEqual([]);
  expect(listNewConfirmations({ ...set, laterThanMove: 3 }, summarizeMoves([starting(2)], move), 2)).toEqual([]);
  expect(listConfirmations({ ...set, lostLine: "0123456789ab" })).toHaveLength(5);
  expect(listConfirmations({})).toEqual([]);
});

test.each([
  [1, 0, 0, 1],
  [2, 0, 0, 0],
  [2, 1, 2, 2],
  [3, 1, 2, 0],
  [1, 3, 0, 1],
  [undefined, 3, 0, 0],
])("laterThanMove %s, with %i logged moves and %i in a journal, counts as %i", (typed, generation, highest, counts) => {
  expect(boundLaterThan(typed, { generation }, highest)).toBe(counts);
});
