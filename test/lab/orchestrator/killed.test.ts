import { describe, expect, it } from "vitest";
import { configureMove, contentOf, copyLeftovers, moveStage, putBack, signersOf } from "./moveStage";

// What the engine is killed at, in the order of the way, and on which way.
const boundaries = [
  ["there, in the bulk copy", /orchestrator: bulk copy to/],
  ["there, at the stop", /orchestrator: stopping the old side/],
  ["back, at the fence", /orchestrator: fencing the new side/],
  ["there, at the second backup", /-last-.*tar\.age/],
  ["there, at the fence", /orchestrator: fencing the old side/],
  ["there, at the start", /orchestrator: starting the new side/],
  ["back, while it is watched", /orchestrator: the orchestrator of the old side answers/],
  ["there, while it is watched", /orchestrator: the orchestrator of the new side answers/],
] as const;

describe("an engine that is killed in the signer's move", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } } });
  let attempt = 0;

  /** Kills an `up` where it says so, at most one side signs; then goes on. */
  async function killedThenUp(pattern: RegExp): Promise<void> {
    const run = await stage.stack.begin();
    stage.runs.push(run);
    await run.hears((output) => (pattern.test(output) ? "heard" : undefined), String(pattern), 120);
    await run.kill();
    expect((await signersOf(stage)).length).toBeLessThan(2);
    await stage.stack.pulumi(["cancel", "--yes"]);
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode, output).toBe(0);
  }

  it.each(boundaries)("%s: the next up goes on", async (where, pattern) => {
    const isBack = where.startsWith("back");
    // After a way back the old side signs by itself.
    if (!isBack) {
      attempt += 1;
      if ((await signersOf(stage)).includes("new")) await putBack(stage);
    }
    const [from, to] = isBack ? [stage.fresh, stage.old] : [stage.old, stage.fresh];
    const before = await contentOf(from);
    await configureMove(stage, { attempt, rollback: isBack });
    await killedThenUp(pattern);
    expect(await signersOf(stage)).toEqual([isBack ? "old" : "new"]);
    expect(await contentOf(to)).toBe(before);
    expect(await copyLeftovers(stage)).toBe("");
  });
});
