import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEventLog } from "../../../core/eventLog/eventLog";
import type { Saga } from "../../../core/orchestrator/journal";
import { numbering } from "../../../core/orchestrator/move";
import type { SagaActions } from "../../../core/orchestrator/saga";

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "move-log-"));
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

describe("the event log at the begin of a move", () => {
  const saga: Required<Saga> = {
    move: { project: "pillar-host", stack: "s", pillar: "p", attempt: 1 },
    direction: "forward",
    generation: 1,
  };
  const bulkWith = async (place: string) => {
    const performed: string[] = [];
    const perform = async (step: string) => void performed.push(step);
    const log = openEventLog({ directory: place, stack: "s", pillar: "p" }, { now: () => 0, say: () => undefined });
    const actions = numbering({ perform } as unknown as SagaActions, saga, log, () => undefined);
    const error = await actions.perform("bulk", saga, { old: "outOfSight", new: "outOfSight" }).then(
      () => undefined,
      (reason: Error) => reason,
    );
    return { performed, error };
  };

  it("lets the copy begin once it is written", async () => {
    expect(await bulkWith(directory)).toEqual({ performed: ["bulk"], error: undefined });
  });

  it("ends the run before any step where it cannot be written", async () => {
    const file = path.join(directory, "file");
    fs.writeFileSync(file, "");
    const { performed, error } = await bulkWith(path.join(file, "log"));
    expect(performed).toEqual([]);
    expect(error?.message).toContain("could not be written");
    expect(error?.message).toContain(file);
  });
});
