import { expect } from "vitest";
import { journeyIn } from "../../recordIn.ts";
import { test, usual } from "./copyStage.ts";

const ends = ["old chain_end_old", "new chain_end_new"];
const broken = (message = "the connection ended", more: object = {}) => {
  throw Object.assign(new Error(message), { broken: true, ...more });
};

test("a copy runs its steps in order, and logs its facts", async ({ stage }) => {
  const facts = { from: "192.0.2.1", files: 2, bytes: 1000, height: 7 };
  expect(await stage.run()).toEqual({ outcome: "copied" });
  expect(stage.called.filter((name) => name !== "old chain_old_now")).toEqual([
    ...["new chain_take", "new chain_undo", "new host_facts", "old host_facts", "new host_facts"],
    "old chain_take",
    ...["old chain_snapshot", "new chain_key", "old chain_allow", "old chain_manifest", "new chain_copy"],
    ...["new chain_manifest", "new chain_swap", "new chain_accept"],
    ...ends,
  ]);
  expect(journeyIn(stage.directory, "Anvil")).toMatchObject([
    { event: "chainCopyBegun", details: { from: "192.0.2.1" } },
    { event: "chainCopied", stack: "prod", details: facts },
  ]);
});

test("nothing is copied to a synced node, and the old host is not called", async ({ stage }) => {
  stage.isSynced = true;
  expect(await stage.run()).toMatchObject({ outcome: "notNeeded" });
  expect(stage.called.filter((name) => name.startsWith("old") || name === "new chain_swap")).toEqual([]);
});

test("a copy is undone, discarded and repeated if the node adds no momentum", async ({ stage }) => {
  stage.isFollowing = false;
  stage.does.chain_discard = () => {
    stage.isFollowing = true;
    return "";
  };
  expect(await stage.run()).toMatchObject({ outcome: "copied" });
  expect([stage.count("old chain_snapshot"), stage.count("new chain_discard")]).toEqual([2, 1]);
});

test("a copy fails if the node never adds a momentum; the node keeps its own databases", async ({ stage }) => {
  stage.isFollowing = false;
  const fault =
    "the node added no momentum within 10 min of its start with the copy: the node's height is 7; the copy reaches 7";
  expect(await stage.failure()).toBe(
    `the chain was not copied: 3 copies were bad
  found: ${fault}
  found: ${fault}
  found: ${fault}
  The node of 192.0.2.2 continues with its own databases. The next run copies only what is missing.
  To go on: pulumi up -s prod
  Or let the node sync from the network, from what it has: pulumi config set --path pillar-host:sync.from network -s prod && pulumi up -s prod`,
  );
  expect([stage.count("new chain_undo"), stage.count("new chain_accept")]).toEqual([4, 0]);
  expect(stage.called.slice(-2)).toEqual(ends);
});

test.for([
  ["an old host on another chain", { chain: "other" }, "both nodes are on different chains: their momentums 7 differ"],
  ["an old host whose node is not synced", { isOldSynced: false }, "the old host's node is not synced: it says so"],
  [
    "a new node that is too old for the network",
    {
      gaps: [{ fromHeight: 9, leastVersion: "v0.0.10", why: "x", release: "https://r", found: "v0.0.8", isSure: true }],
    },
    "192.0.2.2: the node is v0.0.8; v0.0.10 or newer is required from height 9 on (x): install v0.0.10 or newer from https://r: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)",
  ],
] as const)("%s is refused before anything is changed", async ([, changes, found], { stage }) => {
  Object.assign(stage, changes);
  const what = "the chain is not copied from 192.0.2.1 to 192.0.2.2; nothing was changed on either host";
  const failure = await stage.failure();
  expect(failure.split("\n")).toEqual(expect.arrayContaining([what, `  found: ${found}`]));
  expect(stage.called).not.toContain("old chain_take");
});

test("differing files are copied again, and a copy fails after three rounds", async ({ stage }) => {
  stage.does.chain_manifest = (count) => `${(count === 2 ? "b" : "a").repeat(64)}  nom/CURRENT\n`;
  expect(await stage.failure()).toBe("");
  expect([stage.count("new chain_copy"), stage.count("new chain_remove")]).toEqual([2, 1]);
  stage.does.chain_manifest = (count) => `${String(count % 10).repeat(64)}  nom/CURRENT\n`;
  expect(await stage.failure()).toContain("differs from what 192.0.2.1 has, after 3 copies");
});

test.for(["chain_snapshot", "chain_allow", "chain_copy", "chain_swap", "chain_accept"])(
  "a copy that fails at %s leaves nothing on the old host",
  async (name, { stage }) => {
    stage.does[name] = () => broken("there is no room", { broken: false, exitCode: 28 });
    expect(await stage.failure()).toContain("the chain was not copied: there is no room\n");
    expect(stage.count("new chain_copy")).toBeLessThan(2);
    expect(stage.called.slice(-2)).toEqual(ends);
  },
);

test("a copy continues after a broken connection, until no data came for a quarter of an hour", async ({ stage }) => {
  stage.does.chain_copy = (count) => (count < 4 ? broken() : "");
  expect(await stage.run()).toMatchObject({ outcome: "copied" });
  stage.does.chain_copy = () => broken();
  stage.called.length = 0;
  expect(await stage.failure()).toContain("the connection ended");
  expect(stage.count("new chain_copy")).toBeGreaterThan(10);
});

test("other calls continue, too, and the end of the copy is tried three times", async ({ stage }) => {
  stage.does.chain_snapshot = (count) => (count < 4 ? broken() : "height 7\nfiles 2\nbytes 9\nend\n");
  stage.does.chain_end_old = () => broken("gone\n  needed: x");
  expect(await stage.run()).toMatchObject({ outcome: "copied" });
  expect([stage.count("old chain_snapshot"), stage.count("old chain_end_old")]).toEqual([4, 3]);
  const said = "the old host could not be cleaned up: gone; the host does so by itself, or the next run does";
  expect(stage.said).toContain(said);
});

test("a copy stops before the old host lacks room", async ({ stage }) => {
  stage.answer = (place) => (place === "free" ? "100000000" : usual[place]);
  stage.does.chain_copy = () => broken();
  expect(await stage.failure()).toContain("192.0.2.1 has 100 MB free: the copy stops before its node lacks room");
  expect(stage.called.slice(-2)).toEqual(ends);
});
