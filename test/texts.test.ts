import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { StatusParts } from "../cli/status/parts/statusParts.ts";
import type { MovePaths } from "../core/orchestrator/hosts/moveInputs.ts";
import type { RootHost } from "../core/ssh/root.ts";
import { partsOf, registrations, unmet, viewOf } from "./cli/exampleView.ts";
import { atHeight, seenFrom } from "./core/chain/readings.ts";
import { CopyStage } from "./core/chainCopy/copyStage.ts";
import { answerFacts } from "./core/host/printedFacts.ts";
import { facts, own, reading, rewards } from "./core/retirement/exampleFacts.ts";
import { answer, hour, nodeTime } from "./core/sync/looks.ts";

/** Fields by which rules decide. */
const words = ["kind", "key", "loss", "says"];

/** Replaces each sentence in a value by `x`. */
function blank<T>(value: T): T {
  if (typeof value === "string") return "x" as T;
  if (value instanceof Promise) return value.then(blank, (error) => Promise.reject(blank(error))) as T;
  if (value instanceof Error) return Object.assign(value, { message: "x" });
  if (Array.isArray(value)) return value.map(blank) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, words.includes(name) ? field : blank(field)]);
  return Object.fromEntries(fields) as T;
}

let isBlank = false;
const say = <T>(value: T): T => (isBlank ? blank(value) : value);

/** Replaces each sentence that a function returns or throws. */
function wrap(value: unknown): unknown {
  if (typeof value !== "function") return value;
  return (...args: readonly unknown[]) => {
    try {
      return say(value(...args));
    } catch (error) {
      throw say(error);
    }
  };
}

/** Files that make the sentences of the rules below. */
const makers = [
  "../core/orchestrator/rules/journal.ts",
  "../core/retirement/chainRules.ts",
  "../core/retirement/lossRules.ts",
  "../core/cloud/portRules.ts",
  "../core/sync/decideSynced.ts",
];

const load = async () => ({
  ...(await import("../cli/backup/backUpOrchestrator.ts")),
  ...(await import("../cli/status/statusText.ts")),
  ...(await import("../core/journey/decideNextStep.ts")),
  ...(await import("../core/journey/migration.ts")),
  ...(await import("../core/orchestrator/checks/prerequisites.ts")),
  ...(await import("../core/orchestrator/hosts/orchestratorFacts.ts")),
  ...(await import("../core/retirement/decideRetirement.ts")),
  ...(await import("../core/sync/judgeWitnesses.ts")),
  ...(await import("../core/sync/waitForSync.ts")),
  ...(await import("../core/util/result.ts")),
});
let rules: Awaited<ReturnType<typeof load>>;

beforeAll(async () => {
  // A file that ran before in this process may have loaded them.
  vi.resetModules();
  for (const file of makers)
    vi.doMock(file, async (original) =>
      Object.fromEntries(Object.entries(await original<object>()).map(([name, value]) => [name, wrap(value)])),
    );
  rules = await load();
});
afterAll(() => {
  for (const file of makers) vi.doUnmock(file);
  vi.resetModules();
});

const gap = { fromHeight: 9, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" };
const damaged = `journal=${Buffer.from("{").toString("base64")}`;
const running = "orchestratorActive=yes";

/** Returns the key of the wait for these conditions of a destroy. */
function waitFor(...kinds: readonly string[]) {
  const destroy = { value: kinds.map((kind) => ({ ...unmet, kind, what: `${kind}, ${unmet.what}` })) };
  const parts = partsOf(registrations.producing, { destroy, node: { value: { active: false, masked: true } } });
  const last = { finished: true, registration: { registered: true, producing: true } };
  const node = { synced: true, known: true, why: "synced" };
  const stack = { pillar: "Anvil", locks: [], node, state: { isBegun: true, pending: [], last }, parts: say(parts) };
  const { step } = rules.decideMigration({
    ...{ old: "prod", fresh: "prod-2" },
    freshStack: { ...stack, stack: "prod-2", lifecycle: "active", parts } as never,
    oldStack: { ...stack, stack: "prod", lifecycle: "retiring" } as never,
  });
  return step.kind === "wait" ? step.key : step.kind;
}

/** Returns what `next` prints for a node with these versions. */
function nextLines(versions: StatusParts["versions"]) {
  const parts = say(partsOf(registrations.unknown, { versions }));
  const state = { isBegun: true, pending: [], last: { finished: true } };
  const node = { synced: true, known: true, why: "synced" };
  return rules.decideNextStep({ stack: "prod", pillar: "Anvil", lifecycle: "active", state, node, parts }).lines;
}

/** Returns what a retirement would lose while two nodes see this host produce and its rewards wait. */
function retire() {
  const readings = ["A", "B"].map((name) =>
    reading({ pillar: { ...reading().pillar, producerAddress: own } as never }, name),
  );
  const { unmet: conditions } = rules.decideRetirement(facts({ readings, rewards: [rewards("waiting", "8 ZNN")] }));
  return conditions.map(({ loss, saidBy = [] }) => [loss, saidBy.length]);
}

/** Returns a host with this fact. */
const hostWith = (fact: string, address = "host1") => ({
  address,
  call: async () => answerFacts([fact]),
});

/** Returns the address of the host whose orchestrator is backed up, of two hosts with these facts. */
async function findRunning(...printed: readonly string[]) {
  const paths = { service: "orchestrator" } as MovePaths;
  const candidates = printed.map((text, at) => ({ root: hostWith(text, `host${at}`) as unknown as RootHost, paths }));
  return (await rules.findOrchestrator("prod", candidates)).root.address;
}

/** Waits for the sync of a node that no witness confirms, as the operator accepted, and returns the momentum for others. */
async function waitUnwitnessed() {
  let ticks = 0;
  const deps = {
    client: { observe: async () => answer(2, 1000, 1000, { newestAge: 3000 }), close: () => undefined },
    readWitnesses: async () => ({ readings: [] }),
    readVersionGaps: async () => [],
    now: () => nodeTime,
    ticks: () => ticks,
    sleep: async (milliseconds: number) => {
      ticks += milliseconds;
    },
    say: () => undefined,
  };
  const options = {
    confirmations: 1,
    confirmSpan: 0,
    tolerance: 20,
    isChainUnverified: true,
    deadline: hour,
    wait: "block" as const,
  };
  const ssh = { address: "203.0.113.7", user: "root", port: 22 };
  const gate = {
    ...options,
    stallAfter: hour,
    startedAt: nodeTime,
    ssh,
    service: "go-node",
    dataDir: "/",
    stack: "prod",
  };
  return (await rules.waitForSync(gate, deps)).witnessed;
}

/** Compares a node with two references on its chain, one of this name, and with one on another chain. */
function compareWith(name: string) {
  const readings = [atHeight("A", 1000), atHeight(say(name), 1000), atHeight("C", 1000, 3000, "other")];
  const { fault, witnesses } = rules.judgeWitnesses(1000, seenFrom(1000, readings), 20);
  return [fault?.kind, witnesses.length];
}

/** Copies a chain to a host without room, and counts the copies that were begun, and those that were removed. */
async function copyToFullDisk() {
  const stage = new CopyStage();
  stage.does.chain_copy = () => {
    throw Object.assign(new Error(say("No space left on device")), { exitCode: 28 });
  };
  await stage.failure();
  return [stage.count("new chain_copy"), stage.count("new chain_discard")];
}

const open = { port: 35997, what: "the node's RPC", wanted: "closed", listens: true, seen: "open" } as const;

test.each<[rule: string, decide: () => unknown, decision: unknown]>([
  [
    "`next` lists the versions to install",
    () => [{ value: [gap] }, { problem: "no answer" }].map((versions) => nextLines(versions).length),
    [5, 2],
  ],
  ["`migrate` prints a wait again for another condition", () => waitFor("produces", "fork"), "unmet produces,fork"],
  [
    "conditions of several nodes are merged, and no others",
    retire,
    [
      ["momentums", 2],
      ["momentums", 2],
      ["rewards", 1],
    ],
  ],
  [
    "a host with a damaged journal answers",
    async () =>
      rules.isAnswering(
        (await rules.toResult(rules.readOrchestratorState(hostWith(damaged) as never, {} as never))) as never,
      ),
    true,
  ],
  [
    "a damaged journal prevents a backup of the other host",
    () => findRunning(damaged, running).catch(({ problem }) => problem?.kind),
    "unreadableJournal",
  ],
  ["a running orchestrator is backed up", () => findRunning("", running), "host1"],
  ["an unconfirmed chain has no momentum for others", waitUnwitnessed, undefined],
  [
    "a reference is never the recorded momentum",
    () => compareWith("the momentum that this stack recorded"),
    [undefined, 2],
  ],
  ["a copy without room is not tried again", copyToFullDisk, [1, 1]],
  [
    "commands of `status` stay on one line",
    () =>
      rules
        .formatParts(viewOf({ parts: partsOf(undefined, { ports: { value: [open] } }) }), 0)
        .filter(([, , kind]) => kind).length,
    3,
  ],
])("%s, whatever the sentences", async (_rule, decide, decision) => {
  isBlank = false;
  expect(await decide()).toEqual(decision);
  isBlank = true;
  expect(await decide()).toEqual(decision);
});
