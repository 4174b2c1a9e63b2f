import { describe, expect, it } from "vitest";
import { runSaga } from "../../../../core/orchestrator/move/saga";
import type { Saga } from "../../../../core/orchestrator/rules/journal";
import { type Blow, Killed } from "../../../../lab/simulation/blow";
import { Model } from "../../../../lab/simulation/model";
import { randomOf } from "../../../../lab/simulation/seededRandom";
import { moveNamed } from "../../../moveNamed";

const forward: Saga = { move: moveNamed("pillar-host/prod/Anvil/1"), direction: "forward" };
const back: Saga = { ...forward, direction: "back" };
const places = {
  old: "198.51.100.7",
  new: "203.0.113.9",
  services: { old: "orchestrator", new: "orchestrator" },
  stack: "prod",
};
const naming = /(The key is on the (old|new) host \(|Which host has the key is unknown)/;

async function run(model: Model, saga: Saga): Promise<string | undefined> {
  try {
    await runSaga(saga, model, places);
    return undefined;
  } catch (error) {
    if (error instanceof Killed) return "killed";
    return (error as Error).message;
  }
}

describe("runSaga", () => {
  it("moves, stays, rolls back, stays, and moves again with a raised attempt", async () => {
    const model = new Model(() => "none");
    expect(await runSaga(forward, model, places)).toEqual({ do: "done", holder: "new", why: "moved" });
    expect(model.signers).toEqual(["new"]);
    expect(model.hosts.old).toMatchObject({ masked: true, keyAside: true, journal: { stage: "moved" } });
    expect(await runSaga(forward, model, places)).toEqual({ do: "done", holder: "new", why: "moved" });
    expect(await runSaga(back, model, places)).toEqual({ do: "done", holder: "old", why: "moved" });
    expect(model.signers).toEqual(["old"]);
    expect(await runSaga(back, model, places)).toEqual({ do: "done", holder: "old", why: "moved" });
    expect(await runSaga(forward, model, places)).toEqual({ do: "done", holder: "old", why: "raise the attempt" });
    expect(model.signers).toEqual(["old"]);
    const again: Saga = { ...forward, move: moveNamed("pillar-host/prod/Anvil/2") };
    expect(await runSaga(again, model, places)).toEqual({ do: "done", holder: "new", why: "moved" });
    expect(model.signers).toEqual(["new"]);
  });

  it("rolls nothing back if nothing was moved", async () => {
    const model = new Model(() => "none");
    expect(await runSaga(back, model, places)).toEqual({ do: "done", holder: "old", why: "nothing to roll back" });
    expect(model.story).toEqual([]);
  });

  it("does no step in an unattended run", async () => {
    const alone = new Model(() => "none");
    alone.isWatched = () => false;
    const refused = await run(alone, forward);
    expect(refused).toMatch(/^refusing to move the orchestrator in an unattended run; nothing was changed\n/);
    expect(refused).toMatch(naming);
    expect(alone.story).toEqual([]);
    expect(alone.signers).toEqual(["old"]);
    alone.isWatched = () => true;
    await runSaga(forward, alone, places);
    alone.isWatched = () => false;
    expect(await runSaga(forward, alone, places)).toMatchObject({ do: "done", holder: "new" });
    expect(await run(alone, back)).toMatch(/in an unattended run; nothing was changed/);
    expect(alone.signers).toEqual(["new"]);
  });

  it("leaves the orchestrator of another stack alone", async () => {
    const model = new Model(() => "none");
    const strange = { ...forward, move: moveNamed("pillar-host/other/Bellows/1") };
    await runSaga(strange, model, places);
    expect(await run(model, forward)).toMatch(/took this orchestrator elsewhere: pillar-host\/other\/Bellows\/1/);
    expect(model.signers).toEqual(["new"]);
  });

  it("restores an orchestrator that must not move after its stop", async () => {
    class Stopped extends Model {
      override async perform(...[step, saga]: Parameters<Model["perform"]>) {
        const looks = await super.perform(step, saga);
        if (step === "stop") throw new Error("it was stopped in state 1");
        return looks;
      }
    }
    const model = new Stopped(() => "none");
    const failed = await run(model, forward);
    expect(failed).toMatch(/^it was stopped in state 1\nThe key is on the old host \(198\.51\.100\.7\), which signs; /);
    expect(model.signers).toEqual(["old"]);
    expect([model.hosts.old.journal?.stage, model.hosts.new.journal?.stage]).toEqual(["restored", "abandoned"]);
    expect(model.hosts.new).toMatchObject({ masked: true, running: false });
  });

  it("touches nothing once another run has taken over", async () => {
    const steps: string[] = [];
    class Taken extends Model {
      override async perform(...[step, saga]: Parameters<Model["perform"]>) {
        steps.push(step);
        if (step === "fence") throw Object.assign(new Error("another run has taken this move over"), { taken: true });
        return super.perform(step, saga);
      }
    }
    const model = new Taken(() => "none");
    await expect(runSaga(forward, model, places)).rejects.toThrow(/^another run has taken this move over$/);
    expect(steps).toEqual(["bulk", "stop", "backup", "fence"]);
  });

  // The operator decides on manual changes: a run may end with an obstacle, and never with a second orchestrator.
  it.each(Array.from({ length: 10 }, (_, index) => index))(
    "starts nothing beside what somebody unmasks or starts by hand: %i",
    async (group) => {
      let hands = 0;
      for (let seed = group * 50; seed < group * 50 + 50; seed += 1) {
        const random = randomOf(seed);
        const kinds: Blow[] = ["fail", "kill", "unmask old", "unmask new", "start old", "start new"];
        const model = new Model(() =>
          random() < 0.1 ? (kinds[Math.floor(random() * kinds.length)] ?? "none") : "none",
        );
        let wanted = forward;
        for (let round = 0; round < 6; round += 1) {
          if (random() < 0.2) wanted = wanted === forward ? back : forward;
          const failed = await run(model, wanted);
          const context = `seed ${seed}\n${model.story.join("\n")}`;
          expect(failed ?? "", context).not.toMatch(/two sides/);
          if (failed !== undefined && failed !== "killed") expect(failed, context).toMatch(naming);
          expect(model.signers.length, context).toBeLessThan(2);
        }
        hands += model.story.filter((line) => line.startsWith("a hand on")).length;
      }
      expect(hands).toBeGreaterThan(20);
    },
  );

  it("a failure of any step before the start leaves only the old host signing", async () => {
    for (let at = 0; at < 30; at += 1) {
      let count = 0;
      const model = new Model(() => (count++ === at ? "fail" : "none"));
      const failed = await run(model, forward);
      const [from] = [model.hosts.new.journal?.stage];
      const isPast = from === "starting" || from === "running";
      if (failed === undefined) continue;
      expect(failed).toMatch(naming);
      if (!isPast) expect(model.signers, model.story.join("\n")).toEqual(["old"]);
      else expect(failed).toMatch(/The key is on the new host/);
      expect(await run(model, forward), model.story.join("\n")).toBeUndefined();
      expect(model.signers).toEqual(["new"]);
    }
  });
});
