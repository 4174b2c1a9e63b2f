import { describe, expect, it } from "vitest";
import { configureMove, contentOf, copyLeftovers, moveStage, signersOf } from "./moveStage";

// What the engine is killed at, in the order of the way.
const boundaries = [
  ["in the bulk copy", /orchestrator: bulk copy to/],
  ["at the stop", /orchestrator: stopping the/],
  ["at the second backup", /-last-.*tar\.age/],
  ["at the fence", /orchestrator: fencing the/],
  ["at the start", /orchestrator: starting the/],
  ["while it is watched", /orchestrator: the orchestrator of the \w+ side answers/],
] as const;

describe("an engine that is killed in the signer's move", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } } });

  /** Kills an `up` where it says so, at most one side signs; then goes on. @returns what the second one printed */
  async function killedThenUp(pattern: RegExp): Promise<string> {
    const run = await stage.stack.begin();
    stage.runs.push(run);
    await run.hears((output) => (pattern.test(output) ? "heard" : undefined), String(pattern), 120);
    await run.kill();
    expect((await signersOf(stage)).length).toBeLessThan(2);
    await stage.stack.pulumi(["cancel", "--yes"]);
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode, output).toBe(0);
    return output;
  }

  it.each(boundaries.map(([where, pattern], index) => [where, pattern, index + 1] as const))(
    "%s: the next up goes on, there and back",
    async (_where, pattern, attempt) => {
      const before = await contentOf(stage.old);
      await configureMove(stage, { attempt });
      await killedThenUp(pattern);
      expect(await signersOf(stage)).toEqual(["new"]);
      expect(await contentOf(stage.fresh)).toBe(before);
      expect(await copyLeftovers(stage)).toBe("");
      await configureMove(stage, { attempt, rollback: true });
      await killedThenUp(pattern);
      expect(await signersOf(stage)).toEqual(["old"]);
      expect(await contentOf(stage.old)).toBe(before);
      expect(await copyLeftovers(stage)).toBe("");
    },
  );
});
