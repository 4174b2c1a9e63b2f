import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { listSeeds } from "../../../lab/explore/rounds.ts";
import { randomOf } from "../../../lab/simulation/seededRandom.ts";
import type { Run } from "../../../lab/stack/engineRun.ts";
import { cli } from "../cli/fixture.ts";
import { expectSuccess, onHost } from "../fixture.ts";
import { configureMove, contentOf, copyLeftovers, moveStage, putBack, signersOf, stageOf } from "./moveStage.ts";

const victims = ["the engine", "the providers' process", "the old host", "the new host"] as const;
/** Milliseconds within which something dies: of a run that moves the orchestrator, and of the move itself, on a busy machine. */
const [runSpan, moveSpan] = [30_000, 15_000];
/** Printed line at the move's beginning. */
const beginning = "orchestrator: bulk copy to the new host";
/** Runs that may be needed afterwards: a host that boots, a node that connects, a lock of one that dies later. */
const most = 8;

describe("a death at a random moment of the orchestrator's move", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } } });
  const deploys = () => onHost(stage.fresh, "ls /var/log/pillar-host/deploy-*.log");
  let attempt = 0;

  /** Kills the victim, and restores the power. */
  async function dies(victim: (typeof victims)[number], run: Run): Promise<void> {
    if (victim === "the engine") return run.send("SIGKILL");
    if (victim === "the providers' process") {
      // There may be no process between two resources.
      const found = await run.find("dynamic-provider.cjs").catch(() => undefined);
      if (found) process.kill(found.pid, "SIGKILL");
      return;
    }
    const host = victim === "the old host" ? stage.old : stage.fresh;
    await host.stop({ powerCut: true });
    await sleep(2000);
    await host.start();
  }

  /** Repeats the run as an operator would, until the orchestrator is on its host. @returns the number of runs */
  async function goneOn(): Promise<number> {
    for (let runs = 1; ; runs += 1) {
      const { exitCode, output } = await cli(stage.stack, ["resume", "prod", "--", ...quietly]);
      // Two never sign, whatever the outcome of a run.
      const signing = await signersOf(stage);
      expect(signing.length).toBeLessThan(2);
      if (exitCode === 0 && signing.includes("new")) return runs;
      if (runs === most)
        throw new Error(`after ${most} runs the orchestrator is on ${signing}: exit ${exitCode}\n${output}`);
      await sleep(5000);
    }
  }
  const quietly = ["--yes", "--skip-preview", "--non-interactive"];

  it.each(listSeeds(18))("seed %i: the move continues to the same end, and nothing is done twice", async (seed) => {
    const random = randomOf(seed);
    const victim = victims[Math.floor(random() * victims.length)] ?? "the engine";
    const when = random();
    const isLate = random() < 0.7;
    const after = Math.round(when * (isLate ? moveSpan : runSpan));
    attempt += 1;
    if ((await signersOf(stage)).includes("new")) await putBack(stage);
    const [content, before] = [await contentOf(stage.old), await deploys()];
    await configureMove(stage, { attempt });

    const run = await stage.stack.begin();
    if (isLate) await run.hears((output) => (output.includes(beginning) ? "heard" : undefined), beginning);
    await Promise.race([sleep(after), run.end()]);
    const at = [await stageOf(stage.old), await stageOf(stage.fresh)].map((each) => each || "nothing").join("/");
    await dies(victim, run);
    await run.end();
    const runs = await goneOn();
    console.log(
      `seed ${seed}: ${victim} ${after} ms after the ${isLate ? "move" : "run"} began, journals ${at}: gone on with in ${runs} runs`,
    );

    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await contentOf(stage.fresh)).toBe(content);
    expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["moved", "running"]);
    expect(await copyLeftovers(stage)).toBe("");
    expect(await deploys()).toBe(before);
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["new"]);
  });
});
