import { expect, onTestFinished, test, vi } from "vitest";
import { type MigrateOptions, type MigrationDeps, migrate } from "../../cli/migrate.ts";
import type { MigrationInput } from "../../core/journey/migration.ts";
import { createSettings, type StackFacts } from "../../core/journey/stackFacts.ts";
import { stepConfig } from "./exampleView.ts";

const begun: StackFacts = {
  stack: "prod-2",
  pillar: "Anvil",
  lifecycle: "active",
  settings: createSettings(stepConfig()),
  state: { isBegun: false, pending: [], last: { finished: false } },
  locks: [],
};
const old = "prod";
const fresh = "prod-2";
const toMake: MigrationInput = { old, fresh, oldStack: undefined, freshStack: begun };
const state = { isBegun: true, pending: [], last: { finished: false } };
const toMove: MigrationInput = {
  ...toMake,
  freshStack: { ...begun, settings: createSettings(stepConfig({ move: true })), state },
};
const lock = { user: "ada", host: "laptop", pid: 42, since: 0 };
const atWork: MigrationInput = { ...toMake, freshStack: { ...begun, locks: [{ lock, holder: "lives" }] } };
const over: MigrationInput = {
  ...toMake,
  freshStack: { ...begun, state: { ...state, last: { finished: true } } },
  oldStack: { ...begun, stack: "prod", lifecycle: "retiring" },
};

/** Plays the situations one after the other. */
async function play(
  situations: readonly MigrationInput[],
  { yes = true, firstMove, ...changes }: Partial<MigrationDeps> & MigrateOptions = {},
) {
  const left = [...situations];
  const ran: string[] = [];
  const said: string[] = [];
  const deps: MigrationDeps = {
    isTerminal: false,
    read: async () => left.shift() ?? over,
    run: async ({ line }, args) => {
      ran.push([line, ...args].join(" "));
      return 0;
    },
    check: async (stack) => {
      ran.push(`check ${stack}`);
      return 0;
    },
    sleep: async () => said.push("slept"),
    unlock: async () => undefined,
    askAhead: async (_, options) => options,
    say: (line) => said.push(line),
    ...changes,
  };
  const exitCode = await migrate(old, fresh, { yes, firstMove }, deps).catch((error: Error) => error.message);
  return { exitCode, ran, said: said.join("\n") };
}

const stoppedAt = "\nStopped at: pulumi up -s prod-2\n";
const again = "./pillar-host migrate prod prod-2 --yes";

test("runs the next command, and decides again, until nothing is left", async () => {
  const { exitCode, ran, said } = await play([toMake]);
  expect([exitCode, ran]).toEqual([0, ["check prod-2", "pulumi up -s prod-2 --yes --skip-preview"]]);
  expect(said).toContain(again);
});

test.each([
  ["any step without --yes", toMake, false],
  ["a final step despite --yes", toMove, true],
])("lets the engine ask for %s, even if the environment skips its question", async (_, situation, yes) => {
  const names = ["PULUMI_SKIP_CONFIRMATIONS", "PULUMI_OPTION_YES", "PULUMI_OPTION_SKIP_PREVIEW"];
  for (const name of names) vi.stubEnv(name, "true");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { ran } = await play([situation], { yes, isTerminal: true });
  expect(ran.at(-1)).toBe("pulumi up -s prod-2");
  expect(names.map((name) => process.env[name])).toEqual(names.map(() => (yes ? undefined : "true")));
});

test("runs nothing that asks without a terminal", async () => {
  const [make, move] = [await play([toMake], { yes: false }), await play([toMove], { yes: true })];
  expect([make.exitCode, move.exitCode].join()).toMatch(/or add --yes.*can't be undone/s);
  expect(make.exitCode).toContain("./pillar-host migrate prod prod-2");
  expect([...make.ran, ...move.ran]).toEqual([]);
});

test.each([
  [
    "a no, or Ctrl-C",
    { run: async () => 255 },
    255,
    `${stoppedAt}Nothing is lost. Solve the problem above, if there is one, then run:\n  ${again}`,
  ],
  [
    "a check that finds a fault",
    { check: async () => 1 },
    1,
    `${stoppedAt}Nothing is lost. Solve the problem above, if there is one, then run:`,
  ],
  ["a run that awaits", { run: async () => 10 }, 10, `${stoppedAt}Nothing failed. To continue later:\n  ${again}`],
])("ends at %s, with the next command", async (_, changes, code, text) => {
  const { exitCode, said } = await play([toMake], changes);
  expect(exitCode).toBe(code);
  expect(said).toContain(text);
});

test("waits while a run is active, and says so once", async () => {
  const { exitCode, said } = await play([atWork, atWork, atWork]);
  expect(exitCode).toBe(0);
  expect(said.match(/a run is at work/g)).toHaveLength(1);
  expect(said.match(/slept/g)).toHaveLength(3);
});

test("repeats a command only after a wait", async () => {
  const repeated = await play([toMake, toMake]);
  expect(repeated.exitCode).toContain("the next step is the same command again");
  expect(repeated.ran).toHaveLength(2);
  const { exitCode, ran } = await play([toMake, atWork, toMake]);
  expect([exitCode, ran.length]).toEqual([0, 4]);
});

const cutOff = { since: Date.parse("2026-11-30T07:29:20Z"), stack: "prod-2", stage: "fenced" } as const;
const noSigner: MigrationInput = {
  ...toMove,
  freshStack: { ...begun, state, parts: { orchestrator: { value: { kind: "cutOff", cutOff } } } },
};

test("begins with the alarm if no host signs, and continues that move first", async () => {
  const { said, ran } = await play([noSigner], { isTerminal: true });
  expect(said.split("\n").slice(0, 3)).toEqual([
    "Reading prod and prod-2 …",
    "The move was cut off while NO host signs: the bridge lacks this orchestrator",
    "since 2026-11-30 07:29:20 UTC. Continue now, it takes seconds:",
  ]);
  expect(ran).toEqual(["./pillar-host resume prod-2"]);
});

test("ends with the alarm if Ctrl-C cut the move off while no host signs", async () => {
  const { exitCode, said } = await play([toMove, noSigner], { isTerminal: true, run: async () => 255 });
  expect(exitCode).toBe(255);
  expect(said.split("\n").slice(-3)).toEqual([
    "The move was cut off while NO host signs: the bridge lacks this orchestrator",
    "since 2026-11-30 07:29:20 UTC. Continue now, it takes seconds:",
    `  ${again}`,
  ]);
});

test("asks once, before the first run, for what the move needs, and prints the options as they were typed", async () => {
  const asked: string[] = [];
  const answers = { release: "https://example.org/x", releaseSha256: "ab" };
  const given: MigrateOptions[] = [];
  const { said } = await play([atWork, toMake, atWork, toMake], {
    firstMove: true,
    askAhead: async (_, options) => {
      asked.push(`after ${given.length} runs`);
      return { ...options, ...answers };
    },
    run: async (_step, _args, options) => {
      given.push(options);
      return 0;
    },
  });
  expect(asked).toEqual(["after 0 runs"]);
  expect(given).toEqual([expect.objectContaining(answers), expect.objectContaining(answers)]);
  expect(said).toContain("To continue: ./pillar-host migrate prod prod-2 --first-move --yes\n");
});
