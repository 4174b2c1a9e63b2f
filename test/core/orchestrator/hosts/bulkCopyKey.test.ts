import { expect, test } from "vitest";
import { prepareBulkCopy } from "../../../../core/orchestrator/hosts/bulkCopyKey.ts";
import type { MoveInputs } from "../../../../core/orchestrator/hosts/moveInputs.ts";
import {
  bothSides,
  type HostState,
  type HostStates,
  type Journal,
} from "../../../../core/orchestrator/rules/journal.ts";
import type { RootHost } from "../../../../core/ssh/root.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { exampleCopyKey, exampleInputs, exampleJournal, pairDouble } from "../exampleMove.ts";

const move = moveNamed("pillar-host/prod/Anvil/2");
const earlier = moveNamed("pillar-host/prod/Anvil/1");
const signs: HostState = { active: true, masked: false };
const rests: HostState = { active: false, masked: true };

/** Runs the preparation against these hosts. @returns the calls in order, and the output */
async function prepared(hosts: HostStates, failing?: string, more: Partial<MoveInputs> = {}) {
  const [called, said] = [[] as string[], [] as string[]];
  const root = { address: "203.0.113.9" } as RootHost;
  const pair = pairDouble({
    roots: { old: root, new: root },
    look: async (before) => {
      const read = bothSides.filter((side) => !before || before[side]);
      called.push(...read.map((side) => `look ${side}`));
      return { old: undefined, new: undefined, ...Object.fromEntries(read.map((side) => [side, hosts[side]])) };
    },
    call: async ({ side, name }) => {
      called.push(`${side} ${name}`);
      if (name === failing) throw new Error(`${name} failed`);
      return name === "orchestrator_copy_key" ? exampleCopyKey : "";
    },
    lock: async () => {
      called.push("lock");
      return hosts;
    },
    close: () => void called.push("close"),
  });
  const deps = {
    now: () => 0,
    ticks: () => 0,
    sleep: async () => undefined,
    say: (line: string) => void said.push(line),
  };
  await prepareBulkCopy(exampleInputs({ move, ...more }), deps, pair);
  return { called, said };
}

const locked = ["look new", "look new", "look old", "lock"];
const made = ["new orchestrator_copy_key", "old orchestrator_copy_allow", "new orchestrator_copy_key_waits"];

test.each<[string, Partial<Journal> | undefined]>([
  ["without this move", undefined],
  ["where a run of this move was killed", { stage: "staging" }],
  ["that an earlier rollback left", { move: earlier, direction: "back", stage: "moved" }],
])("makes the key on a host %s, and lets it wait", async (_where, at) => {
  const journal = at && exampleJournal("new", "staging", { move, ...at });
  const { called, said } = await prepared({ old: signs, new: { active: false, masked: true, journal } });
  expect(called).toEqual([...locked, ...made, "close"]);
  expect(said).toEqual([]);
});

test.each<Partial<Journal>>([
  { stage: "running" },
  { stage: "staged" },
  { stage: "abandoned" },
  { direction: "back", stage: "moved" },
  { move: earlier, stage: "abandoned" },
  { move: moveNamed("pillar-host/other/Anvil/1") },
])("does not connect to the old host if the journal has %j", async (at) => {
  const journal = exampleJournal("new", "staging", { move, ...at });
  const { called } = await prepared({ old: undefined, new: { active: false, masked: true, journal } });
  expect(called).toEqual(["look new", "close"]);
});

test("makes no key for a rollback, for an unreachable host, or without a running orchestrator on the old one", async () => {
  expect((await prepared({ old: signs, new: rests }, undefined, { rollback: true })).called).toEqual([]);
  for (const fresh of [undefined, signs])
    expect((await prepared({ old: signs, new: fresh })).called).toEqual(["look new", "close"]);
  for (const old of [undefined, rests])
    expect((await prepared({ old, new: rests })).called).toEqual([...locked, "close"]);
});

test("undoes a preparation that fails, and reports no failure", async () => {
  const { called, said } = await prepared({ old: signs, new: rests }, "orchestrator_copy_key_waits");
  expect(called).toEqual([...locked, ...made, "new copy_key_away", "old orchestrator_copy_forbid", "close"]);
  expect(said).toEqual(["the bulk copy before the move is left out: orchestrator_copy_key_waits failed"]);
});
