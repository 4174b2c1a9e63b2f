import { expect, onTestFinished, test, vi } from "vitest";
import { type MigrateOptions, type MigrationDeps, migrate } from "../../cli/migrate";
import type { MigrationInput, MigrationStack } from "../../cli/next/migrationStep";

const begun: MigrationStack = {
  stack: "prod-2",
  lifecycle: "active",
  state: { isBegun: false, pending: [] },
  held: [],
  node: undefined,
  oldHost: "198.51.100.9",
  isMoveConfigured: false,
  isRollbackConfigured: false,
  isFirstMoveConfirmed: false,
  parts: undefined,
};
const old = "prod";
const fresh = "prod-2";
const toMake: MigrationInput = { old, fresh, oldStack: undefined, freshStack: begun };
const toMove: MigrationInput = {
  ...toMake,
  freshStack: { ...begun, isMoveConfigured: true, state: { isBegun: true, pending: [] } },
};
const lock = { user: "ada", host: "laptop", pid: 42, since: 0 };
const atWork: MigrationInput = { ...toMake, freshStack: { ...begun, held: [{ lock, holder: "lives" }] } };
const over: MigrationInput = {
  ...toMake,
  freshStack: {
    ...begun,
    state: { isBegun: true, pending: [], lastRun: { nextStep: [], isRegistered: true, isOffered: false } },
  },
  oldStack: { ...begun, stack: "prod", lifecycle: "retiring" },
};

/** Plays the situations one after the other. */
async function play(
  situations: readonly MigrationInput[],
  { yes = true, ...changes }: Partial<MigrationDeps> & MigrateOptions = {},
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
    say: (line) => said.push(line),
    ...changes,
  };
  const exitCode = await migrate(old, fresh, { yes }, deps).catch((error: Error) => error.message);
  return { exitCode, ran, said: said.join("\n") };
}

test("runs the next command, and decides again, until nothing is left", async () => {
  const { exitCode, ran, said } = await play([toMake]);
  expect(exitCode).toBe(0);
  expect(ran).toEqual(["check prod-2", "pulumi up -s prod-2 --yes --skip-preview"]);
  expect(said).toContain("./pillar-host migrate prod prod-2 --yes");
});

test("lets the engine ask without --yes", async () => {
  expect((await play([toMake], { yes: false, isTerminal: true })).ran).toEqual(["check prod-2", "pulumi up -s prod-2"]);
});

test("asks for a final step despite --yes", async () => {
  expect((await play([toMove], { isTerminal: true })).ran.at(-1)).toBe("pulumi up -s prod-2");
});

test("lets pulumi ask even if the environment skips its question", async () => {
  vi.stubEnv("PULUMI_SKIP_CONFIRMATIONS", "true");
  onTestFinished(() => void vi.unstubAllEnvs());
  const run = async () => {
    expect(process.env.PULUMI_SKIP_CONFIRMATIONS).toBeUndefined();
    return 0;
  };
  expect((await play([toMove], { isTerminal: true, run })).exitCode).toBe(0);
});

test.each([
  [toMake, { yes: false }, "or add --yes"],
  [toMove, { yes: true }, "can't be undone"],
])("runs nothing that asks without a terminal", async (situation, options, text) => {
  const { exitCode, ran } = await play([situation], options);
  expect(exitCode).toContain(text);
  expect(exitCode).toContain("./pillar-host migrate prod prod-2");
  expect(ran).toEqual([]);
});

test.each([
  ["a no, or Ctrl-C", { run: async () => 255 }, 255],
  ["a check that finds a fault", { check: async () => 1 }, 1],
])("ends at %s, with the next command", async (_, changes, code) => {
  const { exitCode, said } = await play([toMake], changes);
  expect(exitCode).toBe(code);
  expect(said).toMatch(/Stopped at: pulumi up -s prod-2\nSolve .*\.\/pillar-host migrate prod prod-2 --yes$/);
});

test("ends after a run that awaits, without a failure", async () => {
  const { exitCode, said } = await play([toMake], { run: async () => 10 });
  expect(exitCode).toBe(10);
  expect(said).toMatch(/\nNothing failed\. To continue later: \.\/pillar-host migrate prod prod-2 --yes$/);
});

test("waits while a run is active, and says so once", async () => {
  const { exitCode, said } = await play([atWork, atWork, atWork]);
  expect(exitCode).toBe(0);
  expect(said.match(/a run is at work/g)).toHaveLength(1);
  expect(said.match(/slept/g)).toHaveLength(3);
});

test("does not repeat a command that changes nothing", async () => {
  const { exitCode, ran } = await play([toMake, toMake]);
  expect(exitCode).toContain("the next step is the same command again");
  expect(ran).toHaveLength(2);
});

test("may run the same command again after a wait", async () => {
  const { exitCode, ran } = await play([toMake, atWork, toMake]);
  expect(exitCode).toBe(0);
  expect(ran).toHaveLength(4);
});
