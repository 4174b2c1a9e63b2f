import { expect, test } from "vitest";
import type { MoveInputs } from "../../../../core/orchestrator/hosts/moveInputs";
import { formatMoveFailure, formatMoveNotice } from "../../../../core/orchestrator/move/move";

const host = (address: string) => ({ host: { ssh: { address } } });
const inputs = { old: host("198.51.100.9"), new: host("203.0.113.7") } as unknown as MoveInputs;
const done = { holder: "new", why: "done", movedAt: "2026-11-21T12:00:00.000Z", secondsWithoutSigner: 4.2 } as never;

test("only the run that moved notifies, with the gap", () => {
  expect(formatMoveNotice(inputs, {}, done)).toBe(
    "the orchestrator signs on 203.0.113.7 now, the new host; the bridge was without this orchestrator for 4.2 s",
  );
  expect(formatMoveNotice(inputs, { holder: "old" }, done)).toBeDefined();
  expect(formatMoveNotice(inputs, { holder: "new" }, done)).toBeUndefined();
  // A run that moved nothing found the orchestrator there.
  expect(formatMoveNotice(inputs, {}, { holder: "new", why: "done" } as never)).toBeUndefined();
});

test("a failure is one line, with the command that shows where the orchestrator is", () => {
  expect(formatMoveFailure(new Error("the old host went away\n  Start neither"), "prod-2")).toBe(
    "the orchestrator's move ended in an error: the old host went away. Where the orchestrator is: ./pillar-host status prod-2",
  );
});
