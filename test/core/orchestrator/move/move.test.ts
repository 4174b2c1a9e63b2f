import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { openEventLog } from "../../../../core/eventLog/eventLog.ts";
import type { MoveInputs } from "../../../../core/orchestrator/hosts/moveInputs.ts";
import {
  createRecorder,
  formatMoveFailure,
  formatMoveNotice,
  writeEnd,
} from "../../../../core/orchestrator/move/move.ts";
import { runSaga } from "../../../../core/orchestrator/move/saga.ts";
import type { Wanted } from "../../../../core/orchestrator/rules/generation.ts";
import { Model } from "../../../../lab/simulation/model.ts";
import { movesIn } from "../../../recordIn.ts";
import { scratchDirectory } from "../../../scratchDirectory.ts";

const directory = scratchDirectory();
const openLog = () =>
  openEventLog({ directory: directory(), stack: "s", pillar: "p" }, { now: () => 0, say: () => undefined });
/** Makes the log impossible to write. */
const breakLog = () => {
  fs.rmSync(directory(), { recursive: true });
  fs.writeFileSync(directory(), "");
};

describe("the event log of a move", () => {
  const wanted: Wanted = {
    move: { project: "pillar-host", stack: "s", pillar: "p", attempt: 1 },
    direction: "forward",
    known: { generation: 0, started: 0 },
    isFirst: true,
    hosts: { old: "198.51.100.7#0", new: "203.0.113.9#0" },
  };
  const places = { old: "198.51.100.7", new: "203.0.113.9", services: { old: "o", new: "o" }, stack: "s" };

  /** @param breaks before which line the log can't be written any more */
  const run = async (breaks?: "begun" | "starting", log = openLog(), seen: ReadonlySet<string> = new Set()) => {
    const record = createRecorder(log, wanted, seen);
    const model = new Model(() => "none");
    const signers: Record<string, readonly string[]> = {};
    model.record = (line, saga) => {
      signers[line] = model.signers;
      if (line === breaks) breakLog();
      return record(line, saga);
    };
    const error = await runSaga(wanted, model, places).then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    return { error, signers, model };
  };

  it("has each start before the old orchestrator stops, with both hosts", async () => {
    const { error, signers, model } = await run();
    expect([error, signers]).toEqual([undefined, { begun: ["old"], starting: ["old"] }]);
    expect(model.signers).toEqual(["new"]);
    const details = { direction: "forward", generation: 1, source: "198.51.100.7#0", target: "203.0.113.9#0" };
    const lines = ["begun", "starting"].map((event) => ({ event, details }));
    expect(movesIn(directory())).toMatchObject(lines);
  });

  it("ends a run whose start came second to one on another host", async () => {
    const leg = { direction: "forward", generation: 1, source: "a", target: "elsewhere" } as const;
    await openLog().addMove({ ...wanted.move, stack: "other" }, { event: "starting", details: leg });
    const { error, model } = await run();
    expect(error).toContain("another run starts this orchestrator on another host: nothing is started here");
    expect(model.signers).toEqual(["old"]);
  });

  it("ends a run if a rival's line, written late, stands before the lines that the run had read", async () => {
    const log = openLog();
    await log.addMove(wanted.move, { event: "failed", details: { error: "read before" } });
    const lines = await log.store.readLines();
    const leg = { direction: "forward", generation: 1, source: "a", target: "elsewhere" } as const;
    await log.addMove({ ...wanted.move, stack: "other" }, { event: "starting", details: leg });
    const all = await log.store.readLines();
    fs.writeFileSync(log.store.log, `${all.toReversed().join("\n")}\n`);
    const { error, model } = await run(undefined, log, new Set(lines));
    expect(error).toContain("another run starts this orchestrator on another host: nothing is started here");
    expect(model.signers).toEqual(["old"]);
  });

  it("ends a run whose start can't be read back: a rival's would stay unseen", async () => {
    const log = openLog();
    const { readLines } = log.store;
    const store = Object.assign(log.store, {
      readLines: async () => {
        const lines = await readLines();
        if (lines.at(-1)?.includes('"starting"')) throw new Error("the event log could not be read");
        return lines;
      },
    });
    const { error, model } = await run(undefined, { ...log, store });
    expect(error).toContain("the event log could not be read");
    expect(model.signers).toEqual(["old"]);
  });

  it("has the end of a saga, or the run fails and says where the orchestrator is", async () => {
    const log = openLog();
    const end = { holder: "new", generation: 1, version: "v1", movedAt: "" } as const;
    await writeEnd(log, { move: wanted.move, stack: "s" }, false, end);
    await writeEnd(log, { move: wanted.move, stack: "s" }, true, { ...end, holder: "old" });
    expect(movesIn(directory()).map(({ event }) => event)).toEqual(["done", "rolledBack"]);
    breakLog();
    await expect(writeEnd(log, { move: wanted.move, stack: "s" }, false, end)).rejects.toThrow(
      /^the orchestrator moved to the new host, which signs; that could not be logged\n.*could not be (?:read|written)[\s\S]*\n {2}Then: pulumi up -s s$/,
    );
  });

  it.each(["begun", "starting"] as const)("ends while the old host signs, where %s cannot be written", async (line) => {
    const { error, model } = await run(line);
    expect(error).toMatch(/event log could not be (read|written)/);
    expect(error).toContain(directory());
    expect(error).toContain("The key is on the old host");
    expect(model.signers).toEqual(["old"]);
    expect(model.hosts.old.journal).toBeUndefined();
  });
});

const host = (address: string) => ({ host: { ssh: { address } } });
const inputs = { old: host("198.51.100.9"), new: host("203.0.113.7") } as unknown as MoveInputs;
const done = { holder: "new", why: "done", movedAt: "2026-11-21T12:00:00.000Z", secondsWithoutSigner: 4.2 } as never;

it("only the run that moved notifies, with the gap", () => {
  expect(formatMoveNotice(inputs, {}, done)).toBe(
    "the orchestrator signs on 203.0.113.7 now, the new host; the bridge was without this orchestrator for 4.2 s",
  );
  expect(formatMoveNotice(inputs, { holder: "old" }, done)).toBeDefined();
  expect(formatMoveNotice(inputs, { holder: "new" }, done)).toBeUndefined();
  // A run that moved nothing found the orchestrator there.
  expect(formatMoveNotice(inputs, {}, { holder: "new", why: "done" } as never)).toBeUndefined();
});

it("a failure is one line, with the command that shows where the orchestrator is", () => {
  expect(formatMoveFailure(new Error("the old host went away\n  Start neither"), "prod-2")).toBe(
    "the orchestrator's move ended in an error: the old host went away. Where the orchestrator is: ./pillar-host status prod-2",
  );
});
