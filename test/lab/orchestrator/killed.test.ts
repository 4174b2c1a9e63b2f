import { describe, expect, it } from "vitest";
import type { Journal } from "../../../core/orchestrator/rules/journal";
import type { StackFile } from "../../../lab/stack/stack";
import { expectSuccess } from "../fixture";
import { configureMove, contentOf, copyLeftovers, journalOf, type MoveStage, moveStage, signersOf } from "./moveStage";

/** Moment of a kill: direction, place, printed pattern, and configuration for that run alone. */
type Boundary = readonly [way: "there" | "back", where: string, pattern: RegExp, alone?: StackFile];

// In the bulk copy: large.long.test.ts. At each write into the bucket: killedAtWrites.long.test.ts.
const boundaries: readonly Boundary[] = [
  ["there", "at the fence", /orchestrator: fencing the old host/],
  // A provider lives on for up to ten seconds when its engine is killed: it must not come to the end of the watch.
  ["back", "while it is watched", /orchestrator: the orchestrator of the old host answers/, { steadySeconds: 20 }],
];

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

describe("an engine that is killed in the orchestrator's move", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } }, bare: true });

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
    await expectSuccess(stage.stack.up());
  }

  it.for(boundaries)("is continued by the next up, on the way %s: %s", async ([way, _where, pattern, alone]) => {
    const isBack = way === "back";
    const [from, to] = isBack ? [stage.fresh, stage.old] : [stage.old, stage.fresh];
    const before = await contentOf(from);
    await killedThenUp(pattern, { rollback: isBack }, alone);
    expect(await signersOf(stage)).toEqual([isBack ? "old" : "new"]);
    expect(await contentOf(to)).toBe(before);
    expect(await copyLeftovers(stage)).toBe("");
  });
});
