import { describe, expect, it } from "vitest";
import type { StackFile } from "../../../lab/stack";
import { configureMove, contentOf, copyLeftovers, moveStage, putBack, signersOf } from "./moveStage";

/** Where the engine is killed: on which way, at what, what it prints then, and what is configured for that run alone. */
export type Boundary = readonly [way: "there" | "back", where: string, pattern: RegExp, alone?: StackFile];

/**
 * Tests of an `up` whose engine is killed at these boundaries, each followed by one that goes on. In several files: each
 * boundary takes two runs of the engine.
 */
export function killedAt(boundaries: readonly Boundary[]): void {
  describe("an engine that is killed in the signer's move", () => {
    const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } }, bare: true });
    let attempt = 0;

    /** Kills an `up` where it says so, at most one side signs; then goes on. */
    async function killedThenUp(pattern: RegExp, settings: StackFile, alone?: StackFile): Promise<void> {
      await configureMove(stage, { ...settings, ...alone });
      const run = await stage.stack.begin();
      await run.hears((output) => (pattern.test(output) ? "heard" : undefined), String(pattern));
      await run.kill();
      expect((await signersOf(stage)).length).toBeLessThan(2);
      await stage.stack.cancel();
      if (alone) await configureMove(stage, settings);
      const { exitCode, output } = await stage.stack.up();
      expect(exitCode, output).toBe(0);
    }

    it.for(boundaries)("on the way %s, %s: the next up goes on", async ([way, _where, pattern, alone]) => {
      const isBack = way === "back";
      // After a way back the old side signs by itself.
      if (!isBack) {
        attempt += 1;
        if ((await signersOf(stage)).includes("new")) await putBack(stage);
      }
      const [from, to] = isBack ? [stage.fresh, stage.old] : [stage.old, stage.fresh];
      const before = await contentOf(from);
      await killedThenUp(pattern, { attempt, rollback: isBack }, alone);
      expect(await signersOf(stage)).toEqual([isBack ? "old" : "new"]);
      expect(await contentOf(to)).toBe(before);
      expect(await copyLeftovers(stage)).toBe("");
    });
  });
}
