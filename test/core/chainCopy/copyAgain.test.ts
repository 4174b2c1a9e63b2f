import { expect } from "vitest";
import { computeCopyWord, formatWaysBack } from "../../../core/sync/damagedDatabase.ts";
import { formatTextLine } from "../../../core/util/commands.ts";
import { configOf, least } from "../../components/exampleConfig.ts";
import { journeyIn } from "../../recordIn.ts";
import { type CopyStage, test } from "./copyStage.ts";

const mark = "2026-11-20T10:00:00Z";
const second = Date.parse(mark) / 1000;
const minute = 60_000;

/** Gives the new host a mark of its gate, a node with these heights, and a confirmation. */
function confirm(stage: CopyStage, word: number | undefined, heights: (number | undefined)[]): CopyStage {
  const again = word === undefined ? undefined : { word, stallAfter: 15 * minute };
  return Object.assign(stage, { mark, heights, inputs: { ...stage.inputs, again } });
}

const isUntouched = ({ called }: CopyStage) =>
  !called.some((name) => name.startsWith("old ") || name === "new chain_swap");

test("copies to a host past its gate whose height stands still where the operator confirmed it, and says so", async ({
  stage,
}) => {
  expect(await confirm(stage, 7, [7]).run()).toMatchObject({ outcome: "copied" });
  expect(stage.said.slice(0, 2)).toEqual([
    "watching the node for 15 min: its databases are replaced only if its height stands still",
    "the node is at height 7, for 15 min; the copy of its chain is confirmed",
  ]);
  expect(stage.said.at(-1)).toBe(
    "the confirmation was used. Remove it: pulumi config rm --path pillar-host:sync.copyAgain -s prod",
  );
  expect(journeyIn(stage.directory, "Anvil")).toMatchObject([
    { event: "chainCopyBegun", details: { from: "192.0.2.1", confirmed: 7 } },
    { event: "chainCopied" },
  ]);
});

test("copies to a node that does not answer, by the host's mark, and compares no chain with it", async ({ stage }) => {
  expect(await confirm(stage, second, [undefined]).run()).toMatchObject({ outcome: "copied" });
  expect(stage.said).toContain("the node does not answer, for 15 min; the copy of its chain is confirmed");
});

test.for<[string, number | undefined, (number | undefined)[], string]>([
  ["without a confirmation", undefined, [7], "the node of 192.0.2.2 was synced at 2026-11-20T10:00:00Z"],
  ["whose height grows, also from the confirmed one", 7, [7, 7, 8], "its height moved from 7 to 8; the confirmation"],
  [
    "at another height, after one look",
    6,
    [7, 8],
    "6 is for another moment; the node is at height 7. If it stands still: pulumi config",
  ],
  ["that answers, by the word for silence", second, [undefined, 7], "is for another moment; the node is at height 7"],
  ["that is silent, by a height", 7, [undefined], `does not answer. If it stands still: pulumi config set --path`],
])("touches nothing of a node %s", async ([, word, heights, said], { stage }) => {
  expect(await confirm(stage, word, heights).run()).toMatchObject({ outcome: "notNeeded" });
  expect(stage.said.at(-1)).toMatch(/^nothing to copy: /);
  expect(stage.said.at(-1)).toContain(said);
  expect(isUntouched(stage)).toBe(true);
});

test("touches nothing of a synced node, and asks to remove the confirmation that is left over", async ({ stage }) => {
  stage.isSynced = true;
  await confirm(stage, 7, [7]).run();
  expect(stage.said.at(-1)).toBe(
    "nothing to copy: the node is synced; the confirmation sync.copyAgain was not used. Remove it: pulumi config rm --path pillar-host:sync.copyAgain -s prod",
  );
  expect(isUntouched(stage)).toBe(true);
});

test("discards the copy if the node moves while it travels", async ({ stage }) => {
  stage.does.chain_copy = () => {
    stage.heights = [8];
    return "";
  };
  expect(await confirm(stage, 7, [7]).run()).toMatchObject({ outcome: "notNeeded" });
  expect(stage.called).not.toContain("new chain_swap");
  expect(stage.said).toContain("the new host's node is at height 8 meanwhile: the copy is discarded");
});

test.for<[string, Partial<CopyStage>, string]>([
  ["that is not synced", { isOldSynced: false }, "the old host's node is not synced"],
  ["on another chain", { chain: "other" }, "both nodes are on different chains"],
])("refuses a source %s, with a confirmation, too", async ([, changes, fault], { stage }) => {
  Object.assign(confirm(stage, 7, [7]), changes);
  expect(await stage.failure()).toContain(fault);
  expect(stage.called).not.toContain("old chain_take");
});

const from = {
  address: "192.0.2.1",
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS",
};
const still = { synced: false, known: true, reason: "stale", currentHeight: 7 } as const;

test("names both ways back, with what the configuration lacks", () => {
  const ways = (sync: object, now: object = still, at: string | undefined = mark, more: object = {}) =>
    formatWaysBack(
      configOf({ sync: { ...least.sync, ...sync }, ...more }),
      "203.0.113.7",
      { ...still, ...now },
      at,
    ).map(formatTextLine);
  const set = "pulumi config set --path pillar-host:sync";
  const [last, before] = [
    "  ssh root@203.0.113.7 'systemctl stop go-node && cd /root/.znn && rm -rf nom consensus cache network; systemctl start go-node'",
    "In days, from the network:",
  ];
  expect(ways({}).slice(3)).toEqual([
    "  pulumi config set --path pillar-host:oldHost.address ADDRESS -s prod",
    `  pulumi config set --path pillar-host:oldHost.hostKey 'ssh-ed25519 AAAA…' -s prod`,
    `  ${set}.from oldHost -s prod`,
    `  ${set}.copyAgain 7 -s prod && pulumi up -s prod`,
    before,
    last,
  ]);
  expect(ways({}).slice(0, 3).join(" ")).toContain(
    "If height 7 does not change for 15 min, and ./pillar-host status prod",
  );
  expect(ways({ from: "oldHost" }, still, mark, { oldHost: from }).slice(3)).toEqual([
    `  ${set}.copyAgain 7 -s prod && pulumi up -s prod`,
    before,
    last,
  ]);
  const silent = { known: false, reason: undefined, currentHeight: undefined };
  expect(ways({}, silent).join()).toContain(`copyAgain ${second} -s prod`);
  // A host that shows no mark may be out of reach.
  expect(ways({}, silent, "")).toEqual([]);
  expect(ways({}, { reason: "fewPeers" })).toEqual([]);
  expect(ways({}, { reason: "otherChain" })).toEqual([
    "Only if an explorer shows that the node's momentum is the wrong one, sync again, for days:",
    last,
  ]);
  expect(ways({}, { synced: true })).toEqual([]);
  expect(ways({ copyAgain: 7 }, { synced: true })).toEqual([
    "The confirmation sync.copyAgain is not needed any more. Remove it: pulumi config rm --path pillar-host:sync.copyAgain -s prod",
  ]);
});

test("no later moment has the number of an earlier one", () => {
  expect([computeCopyWord(7, mark), computeCopyWord(undefined, mark)]).toEqual([7, second]);
  expect(computeCopyWord(undefined, "somebody's text")).toBeNaN();
});
