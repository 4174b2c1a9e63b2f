import { expect, test } from "vitest";
import {
  chooseBackup,
  chooseMove,
  findLastHolder,
  formatWithdrawal,
} from "../../../cli/restore/restoreOrchestrator.ts";
import type { MoveEvent } from "../../../core/eventLog/events.ts";
import { summarizeMoves } from "../../../core/orchestrator/rules/moveHistory.ts";
import { formatProblem } from "../../../core/util/problem.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { moveNamed } from "../../moveNamed.ts";

const [first, second] = [moveNamed("pillar-host/prod/Anvil/1"), moveNamed("pillar-host/prod/Anvil/2")];
const hosts = { old: "A", new: "B" };
const start = (generation: number, target: string, move = first) =>
  ({
    at: "",
    move,
    event: "starting",
    details: { direction: "forward", generation, source: "C", target },
  }) as MoveEvent;
const end = (event: "done" | "rolledBack", generation: number, move = first) =>
  ({ at: "", move, event, details: { holder: "new", generation } }) as MoveEvent;

test.each<[string, readonly MoveEvent[], number]>([
  ["of a stack that moved nothing is its first attempt", [], 1],
  ["that a run began continues", [start(1, "B")], 1],
  ["belongs to the attempt whose start is open", [start(1, "B"), end("done", 1), start(2, "B", second)], 2],
  ["that ended well is the same if it is asked for again", [start(1, "B"), end("done", 1)], 1],
  ["after a move here that was rolled back is another", [start(1, "B"), start(2, "A"), end("rolledBack", 2)], 2],
  [
    "onto a host from which the orchestrator moved on is the first free attempt",
    [start(1, "B"), end("done", 1), start(2, "C", second), start(3, "A", moveNamed("pillar-host/third/Anvil/7"))],
    3,
  ],
])("a restore %s", (_what, moves, attempt) => {
  expect(chooseMove(moves, first, hosts)).toEqual({ ...first, attempt });
});

test("a restore after a kill takes the same backup, and another one the newest that fits", () => {
  const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  const oldHost = { address: "198.51.100.9", hostKey };
  const begun = configOf({ oldHost, orchestrator: { move: true, restoreFrom: "/begun.tar.age" } });
  const backup = (file: string) => ({ at: "", move: first, event: "backup", details: { file, label: "asked" } });
  const moves = ["/old.tar.age", "/new.tar.age"].map(backup) as unknown as readonly MoveEvent[];
  const bridge = { known: false, why: "" } as const;
  expect(chooseBackup(begun, moves, bridge)).toBe("/begun.tar.age");
  expect(chooseBackup(configOf({ oldHost }), moves, bridge)).toBe("/new.tar.age");
});

test.each<[string, readonly MoveEvent[], string | undefined]>([
  ["begins if no start is known", [], undefined],
  ["begins if the lost host had the last start", [start(1, "A"), end("done", 1)], undefined],
  [
    "ends if another host had it",
    [start(1, "D"), end("done", 1)],
    "found: started last on D, in pillar-host/prod/Anvil/1",
  ],
  [
    "ends if that start of the lost host has no end",
    [start(1, "A")],
    "found: started last on A, from C, without an end, in pillar-host/prod/Anvil/1\n  needed: name with --from the stack of the host that has it\n  To end that move: pulumi up -s prod",
  ],
])("a restore %s", (_what, moves, expected) => {
  const wanted = { move: first, direction: "forward", known: summarizeMoves(moves, first), hosts } as const;
  const problem = findLastHolder(wanted, "198.51.100.9");
  const lines = problem ? formatProblem(problem) : "";
  expect(lines).toContain(expected ?? "");
  expect(problem === undefined).toBe(expected === undefined);
  const hint =
    "Was the orchestrator on 198.51.100.9, and can it start nowhere else (docs/restore.md)? Restore again with --later-than-move 1";
  expect(lines.endsWith(hint)).toBe(expected !== undefined);
  expect(findLastHolder({ ...wanted, laterThan: 1 }, "198.51.100.9")).toBeUndefined();
});

test("a restore that is not done says how to withdraw it before the lost host is switched on", () => {
  const text = formatWithdrawal(configOf({}), "198.51.100.9", "203.0.113.7");
  expect(text).toContain("Leave 198.51.100.9 off: it may be switched on only after the restore was withdrawn");
  expect(text).toContain("pulumi config rm --path pillar-host:orchestrator.restoreFrom");
  expect(text).toContain("on 203.0.113.7: systemctl stop orchestrator && ");
  expect(text).toContain(
    "for each in /root/.orchestrator /root/.orchestrator.arriving; do [ ! -e $each ] || mv -T $each $each.withdrawn; done",
  );
});
