import { describe, expect, it } from "vitest";
import { runSaga } from "../../../../core/orchestrator/move/saga.ts";
import type { Saga } from "../../../../core/orchestrator/rules/journal.ts";
import { ProblemError } from "../../../../core/util/problem.ts";
import type { HostEvent } from "../../../../lab/simulation/events.ts";
import { installed, signing } from "../../../../lab/simulation/host.ts";
import { Killed, Model } from "../../../../lab/simulation/model.ts";
import { type HostName, hostNames, newWorld, type Stack } from "../../../../lab/simulation/state.ts";
import { type Action, play, type Strike } from "../../../../lab/simulation/world.ts";
import { exampleMove, examplePlaces as places } from "../exampleMove.ts";

/** An action, how it ended, and the hosts that sign then. */
type Step = readonly [action: Action, ending: string, signing: string];
const way =
  (stack: Stack, direction: Saga["direction"]) =>
  (attempt = 1, ...strikes: readonly Strike[]): Action => ({ do: "up", stack, direction, attempt, strikes });
// Each stack moves the orchestrator on: A to B, B to C, C to A.
const [second, third, fourth] = [way("second", "forward"), way("third", "forward"), way("fourth", "forward")];
const [secondBack, thirdBack, fourthBack] = [way("second", "back"), way("third", "back"), way("fourth", "back")];
const lose: Action = { do: "lose", host: "a" };
const find: Action = { do: "find", host: "a" };
const on = (host: HostName, what: HostEvent): Action => ({ do: what, host });
const restoredBy = (stack: Stack, attempt = 1): Action => ({
  ...{ do: "up", stack, direction: "forward", attempt },
  isRestore: true,
  strikes: [],
});
const restored = restoredBy("third");
const took = (move: string) => `took this orchestrator elsewhere: pillar-host/${move}`;

it.each<[string, readonly Step[]]>([
  [
    "there and back, and there again with a raised attempt",
    [
      [second(), "new: moved", "b"],
      [second(), "new: moved", "b"],
      [secondBack(), "old: moved", "a"],
      [secondBack(), "old: moved", "a"],
      [second(), "old: raise the attempt", "a"],
      [second(2), "new: moved", "b"],
    ],
  ],
  ["a rollback of nothing", [[secondBack(), "old: nothing to roll back", "a"]]],
  [
    "each stack stays done after its own move, and only the present host gives the orchestrator back",
    [
      [second(), "new: moved", "b"],
      [third(), "new: moved", "c"],
      [second(), "new: moved on", "c"],
      [third(), "new: moved", "c"],
      [secondBack(), took("third/Anvil/1"), "c"],
      [lose, "", "c"],
      [second(), "new: moved on", "c"],
      [thirdBack(), "old: moved", "b"],
      [second(), "new: moved", "b"],
      [find, "", "b"],
      [second(), "new: moved", "b"],
      [secondBack(), "old: moved", "a"],
      [third(), took("second/Anvil/1"), "a"],
    ],
  ],
  [
    "to a host that it left long ago, and on from there",
    [
      [second(), "new: moved", "b"],
      [third(), "new: moved", "c"],
      [fourth(), "new: moved", "a"],
      [second(), took("third/Anvil/1"), "a"],
      [second(2), "new: moved", "b"],
      [fourth(), "new: moved on", "b"],
      [fourthBack(), took("second/Anvil/2"), "b"],
    ],
  ],
  [
    "no restore of a host whose start was undone",
    [
      [second(1, { at: 9, blow: "unmask old" }), "orchestrator_fence: it is not masked", "a"],
      [on("b", "lose"), "", "a"],
      [on("b", "fence"), "", "a"],
      [restored, "does not know of this orchestrator's last start: generation 1", "a"],
    ],
  ],
  [
    "no restore beside an attempt that fenced its source and is open",
    [
      [second(1, { at: 12, blow: "kill" }), "killed", ""],
      [lose, "", ""],
      [on("a", "fence by API"), "", ""],
      [restoredBy("second", 2), "last start was in pillar-host/second/Anvil/1, whose end is not logged", ""],
      [restoredBy("second"), "new: moved", "b"],
    ],
  ],
  [
    "a restore of the host that has the orchestrator",
    [
      [second(), "new: moved", "b"],
      [on("b", "lose"), "", "b"],
      [on("b", "fence"), "", ""],
      [restored, "new: moved", "c"],
    ],
  ],
  [
    "no restore of a host that never had the orchestrator, from a backup of the host that has it",
    [
      [on("a", "back up"), "", "a"],
      [on("b", "lose"), "", "a"],
      [on("b", "fence"), "", "a"],
      [restored, "198.51.100.7 may still sign", "a"],
    ],
  ],
])("plays a history of moves: %s", async (_what, steps) => {
  const world = newWorld();
  for (const [action, ending, signing] of steps) {
    expect(await play(world, action), JSON.stringify(action)).toContain(ending);
    expect(hostNames.filter((name) => world.hosts[name].running).join("")).toBe(signing);
  }
});

const forward: Saga = { move: exampleMove, direction: "forward" };
const back: Saga = { ...forward, direction: "back" };
const naming = /(The key is on the (old|new) host \(|Which host has the key is unknown)/;

async function run(model: Model, saga: Saga): Promise<string | undefined> {
  try {
    await runSaga(saga, model, places);
    return undefined;
  } catch (error) {
    return error instanceof Killed ? "killed" : (error as Error).message;
  }
}

/** Returns a model of which one step ends in an error, perhaps after its work. */
function failingAt(failing: string, error: Error, isDone: boolean) {
  const model = new Model(() => "none");
  const { perform } = Model.prototype;
  const steps: string[] = [];
  model.perform = async (step, saga, before) => {
    steps.push(step);
    const states = step === failing && !isDone ? undefined : await perform.call(model, step, saga, before);
    if (step === failing || !states) throw error;
    return states;
  };
  return { model, steps };
}

describe("runSaga", () => {
  it("does no step in an unattended run, and finds a finished move done", async () => {
    const model = new Model(() => "none");
    model.isWatched = false;
    const refused = await run(model, forward);
    expect(refused).toMatch(/^refusing to move the orchestrator in an unattended run; nothing was changed\n/);
    expect(refused).toMatch(naming);
    expect([model.hosts.new.journal, model.signers]).toEqual([undefined, ["old"]]);
    model.isWatched = true;
    await runSaga(forward, model, places);
    model.isWatched = false;
    expect(await runSaga(forward, model, places)).toMatchObject({ do: "done", holder: "new" });
    expect(await run(model, back)).toMatch(/in an unattended run; nothing was changed/);
    expect(model.signers).toEqual(["new"]);
  });

  it("logs no start that its last check refuses, and starts in the next run", async () => {
    const hosts = { old: signing("198.51.100.7"), new: installed("203.0.113.9") };
    hosts.old.reachable = false;
    const logged: string[] = [];
    const record = async (line: string) => void logged.push(line);
    const model = new Model(() => "none", hosts, { record, isFenced: async () => true, restored: () => 1 });
    model.check = async (step) => {
      if (step === "start") throw new Error("the fence has ended");
    };
    expect(await run(model, forward)).toMatch(/^the fence has ended\n/);
    expect([logged, model.hosts.new.running, model.hosts.new.journal?.stage]).toEqual([["begun"], false, "abandoned"]);
    model.check = async () => undefined;
    expect(await run(model, forward)).toBeUndefined();
    expect([logged, model.hosts.new.running]).toEqual([["begun", "begun", "starting"], true]);
  });

  it("restores an orchestrator that must not move after its stop", async () => {
    const { model } = failingAt("stop", new Error("it was stopped in state 1"), true);
    const failed = await run(model, forward);
    expect(failed).toMatch(/^it was stopped in state 1\nThe key is on the old host \(198\.51\.100\.7\), which signs; /);
    expect(model.signers).toEqual(["old"]);
    expect([model.hosts.old.journal?.stage, model.hosts.new.journal?.stage]).toEqual(["restored", "abandoned"]);
    expect(model.hosts.new).toMatchObject({ masked: true, running: false });
  });

  it("touches nothing once another run has taken over", async () => {
    const { model, steps } = failingAt("fence", new ProblemError({ kind: "anotherRun", what: "taken over" }), false);
    expect(await run(model, forward)).toBe("taken over");
    expect(steps).toEqual(["bulk", "stop", "backup", "fence"]);
  });

  it.each(Array.from({ length: 24 }, (_, at) => at))(
    "leaves only the old host signing if effect %i before the start fails, and moves in the next run",
    async (at) => {
      let count = 0;
      const model = new Model(() => (count++ === at ? "fail" : "none"));
      const failed = await run(model, forward);
      const isPast = ["starting", "running"].includes(model.hosts.new.journal?.stage ?? "");
      if (isPast) expect(failed ?? "The key is on the new host").toMatch(/The key is on the new host/);
      else expect([failed, model.signers]).toEqual([expect.stringMatching(naming), ["old"]]);
      expect(await run(model, forward)).toBeUndefined();
      expect(model.signers).toEqual(["new"]);
    },
  );
});
