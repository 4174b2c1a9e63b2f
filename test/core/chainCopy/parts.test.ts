import { expect, test } from "vitest";
import { type ChainFacts, findCopyProblems } from "../../../core/chainCopy/copyChecks.ts";
import type { ChainCopyInputs } from "../../../core/chainCopy/copyInputs.ts";
import { createNodeAccess } from "../../../core/chainCopy/copyNodes.ts";
import { parseHashes } from "../../../core/chainCopy/transfer.ts";
import { openEventLog } from "../../../core/eventLog/eventLog.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { closedPort, fakeNode, loginTo, sshHost, synced, use } from "../chain/fakes.ts";

const directory = scratchDirectory();
const databases = { nom: "there", consensus: "there", cache: "none" };
const size = { bytes: 13e9, staged: 0, free: 1e11 };
const whole: ChainFacts = { databases, ...size, networkKey: undefined, producer: undefined, lacks: [] };
const addresses = { old: "192.0.2.1", new: "192.0.2.2" };
const faults = (
  old: Partial<ChainFacts>,
  fresh: Partial<ChainFacts> = {},
  versions = { old: "v0.0.8", new: "v0.0.8" },
) => findCopyProblems({ old: { ...whole, ...old }, new: { ...whole, ...fresh } }, versions, addresses);

test.for<[string, Partial<ChainFacts>, Partial<ChainFacts>, string]>([
  ["one network key", { networkKey: "a" }, { networkKey: "a" }, "both hosts' nodes share one network key"],
  ["one producer key", { producer: "a" }, { producer: "a" }, "both hosts' nodes share one producer key"],
  ["a program is missing", {}, { lacks: ["perl"] }, "192.0.2.2 lacks perl"],
  ["a link", { databases: { ...whole.databases, nom: "link" } }, {}, "192.0.2.1: nom in the node's data directory"],
  ["no consensus", { databases: { ...whole.databases, consensus: "none" } }, {}, "192.0.2.1 has no consensus"],
  ["a full old host", { free: 4e8 }, {}, "192.0.2.1 has 400 MB free; needed 500 MB"],
  ["a full new host", {}, { free: 14e9 }, "192.0.2.2 has 14.0 GB free; needed 14.8 GB for the 13.0 GB of the chain"],
])("a copy has a problem: %s", ([, old, fresh, words]) => {
  expect(faults(old, fresh)).toEqual([expect.stringContaining(words)]);
});

test("problems of a copy are listed all at once; different keys and earlier files are no problem", () => {
  expect(faults({ free: 0, lacks: ["tar"] }, { free: 0 })).toHaveLength(3);
  expect(faults({ networkKey: "a", producer: "b" }, { networkKey: "c", producer: "d" })).toEqual([]);
  expect(faults({}, { free: 3e9, staged: 12e9 })).toEqual([]);
});

test("a copy needs a node that is at least as new as the old host's", () => {
  const isGood = (old: string, fresh: string) => faults({}, {}, { old, new: fresh }).length === 0;
  expect([isGood("v0.0.8", "v0.0.9"), isGood("somebody's", "somebody's")]).toEqual([true, true]);
  expect([isGood("v0.0.9", "v0.0.8"), isGood("somebody's", "v0.0.8")]).toEqual([false, false]);
});

const [a, b] = ["a".repeat(64), "b".repeat(64)];

test("the hashes of files are read by path", () => {
  const files = new Map(Object.entries({ "nom/CURRENT": a, "consensus/000001.ldb": b }));
  expect(parseHashes(`${a}  nom/CURRENT\n${b} *consensus/000001.ldb\n`, "h")).toEqual(files);
});

test.for(["nom/../wallet/producer", "../x", "wallet/producer", "nom/a/b", "nom/a\nb"])("refuse the path %s", (path) => {
  expect(() => parseHashes(`${a}  ${path}\n`, "h")).toThrow("h: the list of the chain's files cannot be read");
});

/** Reads the status of one of two nodes on chains with these hashes. test/lab/gate/rightChain.test.ts has more cases. */
async function readStatus(
  side: "old" | "new",
  old: string,
  fresh: string,
  references: readonly string[],
  more: Partial<ChainCopyInputs> = {},
) {
  const start = async (hash: string) => {
    const [host, node] = [await use(sshHost()), await use(fakeNode(synced(100, hash)))];
    return { node: { ssh: loginTo(host), via: "ssh" as const, address: "127.0.0.1", port: node.port } };
  };
  const inputs = { old: await start(old), new: await start(fresh), references, tolerance: 20, ...more };
  return createNodeAccess(inputs as unknown as ChainCopyInputs).readNodeStatus(side);
}

test("an old host whose chain no reference confirms is not synced: the new host's node is no witness", async () => {
  const status = await readStatus("old", "ab", "ab", [`http://127.0.0.2:${await closedPort()}`]);
  expect(status).toMatchObject({ synced: false, reason: "unwitnessed" });
});

test("a new node on another chain than the old host's is not synced", async () => {
  expect(await readStatus("new", "ab", "wrong", [])).toMatchObject({ synced: false, reason: "otherChain" });
  expect(await readStatus("new", "ab", "ab", [])).toMatchObject({ synced: true });
});

test("for a host past its gate, an old host that lacks the gate's momentum is not synced", async () => {
  const record = { directory: directory(), stack: "prod", pillar: "Anvil" };
  const proof = { startedAt: "", syncedAt: "", startHeight: 1, currentHeight: 100, proved: [], unproved: [] };
  const log = openEventLog(record, { now: () => 0, say: () => undefined });
  await log.add({ event: "synced", details: { ...proof, witnessed: { height: 100, hash: "ab" } } });
  const again = { word: 7, stallAfter: 0, found: undefined };
  expect(await readStatus("old", "wrong", "wrong", [], { log: record, again })).toMatchObject({ synced: false });
  expect(await readStatus("old", "ab", "wrong", [], { log: record, again })).toMatchObject({ synced: true });
});
