import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type MigrationDeps, migrate } from "../../cli/migrate.ts";
import type { StatusParts } from "../../cli/status/parts/statusParts.ts";
import type { MigrationInput } from "../../core/journey/migration.ts";
import { createSettings, type StackFacts } from "../../core/journey/stackFacts.ts";
import { finishedRun, lives, partsOf, registrations, stepConfig, unmet } from "./exampleView.ts";

const synced = { synced: true, known: true, why: "synced" };
const none = { isBegun: false, pending: [], last: { finished: false } };
const begun = { ...none, isBegun: true };
const moved = { side: "new", address: "203.0.113.7", why: "moved", attempt: 1, rpcPort: 55000 };
const offered = {
  ...begun,
  last: {
    ...finishedRun,
    registration: { state: "earlier", registered: false, producing: false } as const,
    orchestrator: moved,
  },
};
const produces = { ...begun, last: { ...finishedRun, orchestrator: moved } };

/** Returns a stack's facts. The old host's is adopted. */
const stackOf = (
  stack: "prod" | "prod-2",
  changes: Partial<StackFacts> & { parts?: StatusParts } = {},
): StackFacts => ({
  stack,
  pillar: "Anvil",
  lifecycle: stack === "prod" ? "adopted" : "active",
  settings: createSettings(stepConfig(stack === "prod" ? {} : { move: true })),
  state: stack === "prod" ? { ...begun, last: finishedRun } : offered,
  locks: [],
  node: synced,
  parts: partsOf(),
  ...changes,
});
const both = (freshStack: StackFacts | undefined, oldStack?: StackFacts): MigrationInput => ({
  old: "prod",
  fresh: "prod-2",
  freshStack,
  oldStack,
});
const adopted = stackOf("prod");
const retiring = (destroy: StatusParts["destroy"]) =>
  stackOf("prod", {
    lifecycle: "retiring",
    parts: partsOf(registrations.producing, { node: { value: { active: false, masked: true } }, destroy }),
  });
const producing = stackOf("prod-2", { state: produces, parts: partsOf(registrations.producing) });
const cutOff = { since: Date.parse("2026-11-30T07:29:20Z"), stack: "prod-2", stage: "fenced" } as const;
const noSigner = stackOf("prod-2", {
  state: { ...begun, pending: [{}] },
  parts: partsOf(undefined, { orchestrator: { value: { kind: "cutOff", text: "", isWrong: true, cutOff } } }),
});
const before = stackOf("prod-2", {
  settings: createSettings(stepConfig()),
  state: { ...offered, last: { ...offered.last, orchestrator: undefined } },
});

/** Situations in their order; the operator presses Ctrl-C in the last one's command or wait. */
const interruptions: Readonly<Record<string, readonly MigrationInput[]>> = {
  "init asks": [both(undefined)],
  "check finds a fault": [both(stackOf("prod-2", { state: none }))],
  "up deploys": [both(stackOf("prod-2", { state: begun, node: { ...synced, synced: false } }))],
  "another run syncs": [both(stackOf("prod-2", { locks: [lives] }))],
  "adopt runs": [both(before)],
  "the move has stopped the old host's orchestrator": [
    both(stackOf("prod-2", { state: { ...offered, last: { ...offered.last, orchestrator: undefined } } }), adopted),
    both(noSigner, adopted),
  ],
  "the wallet is awaited": [both(stackOf("prod-2"), adopted)],
  "retire asks": [both(producing, adopted)],
  "the rewards are awaited": [both(producing, retiring({ value: [unmet] }))],
  "destroy asks": [both(producing, retiring({ value: [] }))],
};

/** Returns what stands on a screen of 80x24 above the prompt. */
async function showEnding(name: string, inputs: readonly MigrationInput[]): Promise<string> {
  const left = [...inputs];
  const said: string[] = [];
  const say = (line: string) => void said.push(...line.split("\n"));
  const deps: MigrationDeps = {
    isTerminal: true,
    unlock: async () => undefined,
    read: async () => left.shift() ?? both(undefined),
    askAhead: async (_, options) => options,
    run: async () => 1,
    check: async () => (name.startsWith("check") ? 1 : 0),
    say,
    sleep: async () => {
      throw new Error("Ctrl-C ends the program here");
    },
  };
  await migrate("prod", "prod-2", {}, deps).catch(() => undefined);
  const rows = said.flatMap((line) => line.match(/.{1,80}/g) ?? [""]);
  return [`--- ${name}`, ...rows.slice(-23)].join("\n");
}

test("ends with where things stand and what to type, at each stage at which it may be interrupted", async () => {
  const endings: string[] = [];
  for (const [name, inputs] of Object.entries(interruptions)) endings.push(await showEnding(name, inputs));
  // The end of the program says how a wait continues (interruption.test.ts).
  for (const ending of endings.filter((each) => !each.includes("Waiting;")))
    expect(ending.split("\n").slice(-3).join("\n")).toContain("./pillar-host migrate prod prod-2");
  expect(`${endings.join("\n\n")}\n`).toBe(readFileSync(join(import.meta.dirname, "migrateEndings.txt"), "utf8"));
});
