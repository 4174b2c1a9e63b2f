import { expect, test } from "vitest";
import { RootPair } from "../../../core/host/rootPair.ts";
import type { RootHost } from "../../../core/ssh/root.ts";
import { hasKind } from "../../../core/util/problem.ts";

/** Takes the lease of a host that gives these answers, the last one for good. */
async function taken(...answers: string[]) {
  const said: string[] = [];
  let time = 0;
  const deps = {
    now: () => time,
    ticks: () => time,
    sleep: async (milliseconds: number) => {
      time += milliseconds;
    },
    say: (line: string) => void said.push(line),
  };
  const call = async () => `${answers.length > 1 ? answers.shift() : answers[0]}\n`;
  const root = { address: "192.0.2.1", call } as unknown as RootHost;
  const pair = new RootPair({ old: root, new: root }, { what: "this orchestrator", stack: "prod" }, () => ({}));
  const error = await pair.takeLease({ side: "old", name: "take" }, deps).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { said, error, minutes: time / 60_000 };
}

test("waits until another run's lease has ended, and says so once", async () => {
  const { said, error } = await taken("held 30 77 prod", "held 27 77 prod", "taken");
  expect(error).toBeUndefined();
  expect(said).toEqual(["an earlier run is still at work on the old host (192.0.2.1); waiting for it"]);
});

test.each([
  ["held 30 77 pillar-host/prod-2 Anvil", "a run of pillar-host/prod-2 Anvil", true],
  ["held 30 - prod", "a run of prod", false],
  ["held 5 - ", "a run of an unknown stack", false],
  ["held 30 77 \u001b[2Jprod", "a run of an unknown stack", false],
])("gives up after half an hour, and names the run of %j", async (answer, run, hasLogin) => {
  const { error, minutes } = await taken(answer);
  expect(Math.round(minutes)).toBe(30);
  expect(hasKind(error, "anotherRun")).toBe(true);
  const login = "  found: its login on 192.0.2.1 is process 77: ps -o lstart,args -p 77";
  expect(error?.message.split("\n")).toEqual([
    "192.0.2.1: another run has been at work on this orchestrator for 30 minutes; nothing was done",
    `  found: ${run}`,
    ...(hasLogin ? [login] : []),
    expect.stringMatching(/^ {2}needed: wait until that run has finished, or press Ctrl-C in its terminal/),
    "  Then: pulumi up -s prod",
  ]);
});
