import { describe, expect, it } from "vitest";
import type { Journal } from "../../../core/orchestrator/rules/journal";
import type { StackFile } from "../../../lab/stack/stack";
import {
  configureMove,
  contentOf,
  copyLeftovers,
  journalOf,
  type MoveStage,
  moveStage,
  putBack,
  signersOf,
} from "./moveStage";

/** Moment of a kill: direction, place, printed pattern, and configuration for that run alone. */
export type Boundary = readonly [way: "there" | "back", where: string, pattern: RegExp, alone?: StackFile];

/**
 * Expects consistent journals right after the kill: the target begins only if the source is fenced, and both have the
 * same direction. Host steps continue meanwhile and a source only advances, so the target is read first.
 */
async function expectJournals({ old, fresh }: MoveStage, isBack: boolean): Promise<void> {
  const [source, target] = isBack ? [fresh, old] : [old, fresh];
  const direction = isBack ? "back" : "forward";
  const there = await journalOf(target);
  const here = await journalOf(source);
  const isOfThisWay = (journal: Journal | undefined) => journal?.direction === direction;
  if (isOfThisWay(there) && ["starting", "running"].includes(there?.stage ?? "")) {
    expect(["fenced", "moved"]).toContain(here?.stage);
    expect([here?.direction, here?.generation]).toEqual([direction, there?.generation]);
  }
  if (isOfThisWay(here)) {
    expect(["stopping", "fenced", "moved"]).toContain(here?.stage);
    // Before the source is touched, the target has what it needs to begin.
    expect(here?.generation).toBe((await journalOf(target))?.generation);
  }
}

/**
 * Tests an `up` whose engine is killed at these boundaries, and the `up` that continues. The boundaries are in several
 * files, because each takes two runs of the engine.
 */
export function killedAt(boundaries: readonly Boundary[]): void {
  describe("an engine that is killed in the orchestrator's move", () => {
    const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } }, bare: true });
    let attempt = 0;

    /** Kills an `up` at this output, expects at most one signing host, and continues. */
    async function killedThenUp(pattern: RegExp, settings: StackFile, alone?: StackFile): Promise<void> {
      await configureMove(stage, { ...settings, ...alone });
      const run = await stage.stack.begin();
      await run.hears((output) => (pattern.test(output) ? "heard" : undefined), String(pattern));
      await run.kill();
      expect((await signersOf(stage)).length).toBeLessThan(2);
      await expectJournals(stage, settings.rollback === true);
      await stage.stack.cancel();
      if (alone) await configureMove(stage, settings);
      const { exitCode, output } = await stage.stack.up();
      expect(exitCode, output).toBe(0);
    }

    it.for(boundaries)("is continued by the next up, on the way %s: %s", async ([way, _where, pattern, alone]) => {
      const isBack = way === "back";
      // After a rollback the old host signs without help.
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
