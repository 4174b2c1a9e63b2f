import { describe, expect, it } from "vitest";
import type { Journal } from "../../../core/orchestrator/rules/journal.ts";
import type { StackFile } from "../../../lab/stack/stack.ts";
import { expectSuccess } from "../fixture.ts";
import {
  configureMove,
  contentOf,
  copyLeftovers,
  journalOf,
  type MoveStage,
  moveStage,
  signersOf,
} from "./moveStage.ts";

/** Direction, places, and printed patterns at which one run after another is killed; configuration for those alone. */
type Way = readonly [way: "there" | "back", where: string, patterns: readonly RegExp[], alone?: StackFile];

const ways: readonly Way[] = [
  [
    "there",
    "in the bulk copy, and at the fence",
    [/copying from \S+ to \S+: the old host/, /orchestrator: fencing the old host/],
  ],
  // A provider lives on for up to ten seconds when its engine is killed: it must not come to the end of the watch.
  ["back", "while it is watched", [/orchestrator: the orchestrator of the old host answers/], { steadySeconds: 20 }],
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

  /** Kills an `up` at this output, and expects at most one signing host. */
  async function killedAt(pattern: RegExp, isBack: boolean): Promise<void> {
    const run = await stage.stack.begin();
    await run.hears((output) => (pattern.test(output) ? "heard" : undefined), String(pattern));
    await run.kill();
    expect((await signersOf(stage)).length).toBeLessThan(2);
    await expectJournals(stage, isBack);
    await stage.stack.cancel();
  }

  it.for(ways)("is continued by the next up, on the way %s: %s", async ([way, _where, patterns, alone]) => {
    const isBack = way === "back";
    const [from, to] = isBack ? [stage.fresh, stage.old] : [stage.old, stage.fresh];
    const before = await contentOf(from);
    await configureMove(stage, { rollback: isBack, ...alone });
    for (const pattern of patterns) await killedAt(pattern, isBack);
    if (alone) await configureMove(stage, { rollback: isBack });
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual([isBack ? "old" : "new"]);
    expect(await contentOf(to)).toBe(before);
    expect(await copyLeftovers(stage)).toBe("");
  });
});
