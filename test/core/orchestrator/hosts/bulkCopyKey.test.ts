import { expect, test } from "vitest";
import { type BulkCopyKeyInputs, prepareBulkCopy } from "../../../../core/orchestrator/hosts/bulkCopyKey";
import type { HostPair } from "../../../../core/orchestrator/hosts/hostPair";
import type { HostState, HostStates } from "../../../../core/orchestrator/rules/hostStates";
import type { Journal } from "../../../../core/orchestrator/rules/journal";
import { moveNamed } from "../../../moveNamed";

const move = moveNamed("pillar-host/prod/Anvil/2");
const earlier = moveNamed("pillar-host/prod/Anvil/1");
const signs: HostState = { active: true, masked: false };
const rests: HostState = { active: false, masked: true };
const journalOf = (more: Partial<Journal>): Journal => ({
  version: 1,
  generation: 1,
  source: "A",
  target: "B",
  move,
  direction: "forward",
  side: "new",
  stage: "staging",
  other: { address: "o", hostKey: "k" },
  at: "",
  was: {},
  identity: null,
  history: [],
  ...more,
});

/** Runs the preparation against these hosts. @returns the calls in order, and the output */
async function prepared(hosts: HostStates, failing?: string, more: Partial<BulkCopyKeyInputs> = {}) {
  const [called, said] = [[] as string[], [] as string[]];
  const root = (address: string) => ({ address }) as HostPair["roots"]["old"];
  const pair: HostPair = {
    roots: { old: root("198.51.100.9"), new: root("203.0.113.7") },
    look: async (_saga, before) => {
      const at = (side: "old" | "new") => {
        if (before && !before[side]) return undefined;
        called.push(`look ${side}`);
        return hosts[side];
      };
      return { new: at("new"), old: at("old") };
    },
    call: async ({ side, name }) => {
      called.push(`${side} ${name}`);
      if (name === failing) throw new Error(`${name} failed`);
      return name === "signer_copy_key"
        ? `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)} pillar-host-copy\n203.0.113.7\n`
        : "";
    },
    step: async (_call, looks) => looks,
    takeLocks: async () => void called.push("take"),
    dropLocks: async () => void called.push("drop"),
    variables: () => ({}),
    close: () => void called.push("close"),
  };
  const side = (address: string) => ({
    host: { stack: "prod", ssh: { address, port: 22, user: "root", hostKey: "" } },
    service: "orchestrator",
    directory: "/root/.orchestrator",
    executable: "orchestrator",
  });
  const inputs = {
    move,
    stack: "prod",
    rollback: false,
    old: side("198.51.100.9"),
    new: side("203.0.113.7"),
    copy: { address: "198.51.100.9", port: 22 },
    rpcPort: 55000,
    p2pPort: 55055,
    library: "",
    ...more,
  } as BulkCopyKeyInputs;
  const deps = { ticks: () => 0, sleep: async () => undefined, say: (line: string) => void said.push(line) };
  await prepareBulkCopy(inputs, deps, () => pair);
  return { called, said };
}

const given = ["look new", "look new", "look old", "take", "look new", "look old"];
const made = ["new signer_copy_key", "old signer_copy_allow", "new signer_copy_key_waits"];

test.each<[string, HostState]>([
  ["on a host without this move", rests],
  ["on a host where a run of this move was killed", { ...rests, journal: journalOf({}) }],
  [
    "on a host that an earlier rollback left",
    { ...rests, journal: journalOf({ move: earlier, direction: "back", stage: "moved" }) },
  ],
])("makes the key %s, and lets it wait", async (_where, fresh) => {
  const { called, said } = await prepared({ old: signs, new: fresh });
  expect(called).toEqual([...given, ...made, "drop", "close"]);
  expect(said).toEqual([]);
});

test.each<[string, Partial<Journal>]>([
  ["has completed", { stage: "running" }],
  ["has begun", { stage: "staged" }],
  ["was abandoned", { stage: "abandoned" }],
  ["was rolled back", { direction: "back", stage: "moved" }],
  ["is another, abandoned move", { move: earlier, stage: "abandoned" }],
  ["is another, completed move", { move: earlier, stage: "running" }],
  ["is another stack's", { move: moveNamed("pillar-host/other/Anvil/1"), stage: "staging" }],
])("does not connect to the old host if the move %s", async (_what, journal) => {
  const { called } = await prepared({ old: undefined, new: { ...rests, journal: journalOf(journal) } });
  expect(called).toEqual(["look new", "close"]);
});

test("makes no key for a rollback, for an unreachable new host, or beside a running orchestrator", async () => {
  expect((await prepared({ old: signs, new: rests }, undefined, { rollback: true })).called).toEqual([]);
  expect((await prepared({ old: signs, new: undefined })).called).toEqual(["look new", "close"]);
  expect((await prepared({ old: signs, new: signs })).called).toEqual(["look new", "close"]);
});

test.each<[string, HostState]>([
  ["unreachable", undefined],
  ["without a running orchestrator", rests],
  ["stopped by this move", { ...rests, journal: journalOf({ side: "old", stage: "stopping" }) }],
])("makes no key if the old host is %s", async (_what, old) => {
  const { called } = await prepared({ old, new: rests });
  expect(called).toEqual(["look new", "look new", "look old", "close"]);
});

test.each(["signer_copy_allow", "signer_copy_key_waits"])(
  "undoes the preparation if %s fails, and reports no failure",
  async (failing) => {
    const { called, said } = await prepared({ old: signs, new: rests }, failing);
    const until = made.slice(0, made.findIndex((each) => each.endsWith(failing)) + 1);
    expect(called).toEqual([...given, ...until, "new signer_copy_key_away", "old signer_copy_forbid", "drop", "close"]);
    expect(said).toEqual([`the bulk copy before the move is left out: ${failing} failed`]);
  },
);
