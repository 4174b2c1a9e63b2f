import { expect, onTestFinished, test, vi } from "vitest";
import { findReferences } from "../../../core/chain/distinctNodes.ts";
import type { NodeTarget } from "../../../core/chain/node.ts";
import { isAnswered, listLeftOut } from "../../../core/chain/reading.ts";
import { createConnection } from "../../../core/ssh/connection.ts";
import { judgeWitnesses, type WitnessSources } from "../../../core/sync/judgeWitnesses.ts";
import { openNodeReader } from "../../../core/sync/nodeReader.ts";
import { type NodeStatus, prefetch, readNodeStatus } from "../../../core/sync/nodeStatus.ts";
import { type FakeNode, fakeNode, idCall, loginTo, sshHost, synced, use } from "../chain/fakes.ts";
import { block } from "../chain/readings.ts";

/** Starts a host with a node, and returns the target of a lookup. */
async function hostWithNode(version?: string): Promise<NodeTarget> {
  const host = await use(sshHost());
  const reported = version === undefined ? {} : { "stats.processInfo": { version, commit: "" } };
  const node = await use(fakeNode({ ...synced(), ...reported }));
  return { ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: node.port };
}
const noHost: NodeTarget = {
  ssh: { address: "", port: 22, user: "op", hostKey: "" },
  via: "direct",
  address: "127.0.0.1",
  port: 1,
};
/** Opens the witnesses of a node, by default of one whose host does not exist yet. */
function openWitnesses(sources: Sources, target = noHost, asksOldHost?: "always") {
  const reader = openNodeReader(target, sources, createConnection(target.ssh), asksOldHost);
  onTestFinished(reader.closeWitnesses);
  return reader.readWitnesses;
}
type Sources = Omit<WitnessSources, "tolerance">;
const urlOf = ({ port }: { readonly port: number }, host = "127.0.0.1") => `http://${host}:${port}`;

test("a witness counts once under two names", async () => {
  const node = await use(fakeNode(synced()));
  const references = [urlOf(node), `${urlOf(node, "LOCALHOST")}/`, urlOf(node, "[::ffff:127.0.0.1]")];
  const { readings } = await openWitnesses({ references })(undefined);
  expect(readings.map(isAnswered)).toEqual([true, false, false]);
  expect(listLeftOut(readings)).toEqual(
    [urlOf(node, "localhost"), urlOf(node, "[::ffff:7f00:1]")].map(
      (name) => `reference ${name} is left out: it is the same node as ${urlOf(node)}`,
    ),
  );
  expect(methodsOf(node)).toEqual(["ledger.getFrontierMomentum", idCall]);
});

test("a witness is left out if its name is not resolved", async () => {
  const { readings } = await openWitnesses({ references: ["http://node.invalid:35997"] })(undefined);
  expect(listLeftOut(readings)[0]).toMatch(
    /^reference http:\/\/node\.invalid:35997 is left out: its name is not resolved: (ENOTFOUND|EAI_AGAIN)$/,
  );
});

test("a witness has its name resolved beside the others, since a resolver may hang", async () => {
  const asked: string[] = [];
  const hang = (name: string) => {
    asked.push(name);
    return new Promise<never>(() => undefined);
  };
  void findReferences(["http://a.example:1", "http://b.example:1"], [{ host: "c.example", what: "c" }], hang);
  expect(asked.sort()).toEqual(["a.example", "b.example", "c.example"]);
});

test("a witness is compared by the momentums at each other's heights", async () => {
  const timestamp = Math.floor(Date.now() / 1000);
  const momentum = (height: number) => ({ height, timestamp, hash: `h${height}`, producer: "z1q" });
  const start = async (height: number) =>
    use(
      await fakeNode({
        "ledger.getFrontierMomentum": momentum(height),
        "ledger.getMomentumsByHeight": (from: number) => ({ list: [momentum(from)] }),
      }),
    );
  const [node, low, high] = await Promise.all([1000, 7, 3000].map(start));
  if (!node || !low || !high) throw new Error("no nodes");
  const target = { ...noHost, port: node.port };
  const seen = await openWitnesses({ references: [urlOf(low), urlOf(high)] }, target)(block(1000));
  expect(seen.readings).toMatchObject([{ older: [] }, { older: [block(1000)] }]);
  expect(seen.own).toMatchObject({ newest: block(1000), older: [block(7)] });
  expect(methodsOf(node).toSorted()).toEqual(["ledger.getMomentumsByHeight", idCall]);
});

test("a witness counts once as old host of a host that does not exist yet", async () => {
  const target = await hostWithNode();
  const read = openWitnesses({ references: [urlOf(target)], witnessHost: target });
  const { readings, oldHost } = await read(undefined);
  expect(readings).toMatchObject([{ fault: { why: "it is the old host, which the program asks directly" } }]);
  expect(oldHost && isAnswered(oldHost)).toBe(true);
});

test("a witness is never the host itself, on any port or name", async () => {
  const target = await hostWithNode();
  const references = [urlOf(target), urlOf(target, "localhost")];
  const { readings } = await openWitnesses({ references }, target)(undefined);
  expect(readings).toMatchObject(references.map(() => ({ fault: { why: "it is this host itself" } })));
  const witnessHost = { ...target, ssh: { ...target.ssh, address: "127.0.0.2" } };
  const { oldHost } = await openWitnesses({ references: [], witnessHost }, target)(undefined);
  expect(oldHost).toMatchObject({ fault: { why: "it has this host's own host key: it is this host itself" } });
});

/** Starts a node of an id at another loopback address than the host's: a second address of a node, as a tunnel has. */
const nodeOfId = async (id: string | undefined, chain = "ab", address = "127.0.0.2") => {
  const results = { ...synced(100, chain), [idCall]: id && { numPeers: 8, peers: [], self: { publicKey: id } } };
  return urlOf(await use(fakeNode(results, address)), address);
};
const idOf = (digit: string) => digit.repeat(128);

test.each<[string, own: string | undefined, references: readonly [id: string | undefined, chain: string][], object]>([
  ["the host's own node, through a tunnel", idOf("a"), [[idOf("a"), "ab"]], { reason: "unwitnessed" }],
  ["another node, through a tunnel", idOf("a"), [[idOf("b"), "ab"]], { synced: true }],
  ["a node that hides its id, through a tunnel", idOf("a"), [[undefined, "ab"]], { reason: "unwitnessed" }],
  ["a node, through a tunnel, beside an own one that hides its id", undefined, [[idOf("b"), "ab"]], { synced: false }],
  // No network runs in this node (go-zenon, p2p/server.go, Self).
  ["a node with an empty id, through a tunnel", idOf("0"), [[idOf("0"), "ab"]], { reason: "unwitnessed" }],
  ["a node with the own id on another chain", idOf("a"), [[idOf("a"), "cd"]], { reason: "otherChain" }],
  [
    "one node at two addresses, against one that contradicts it",
    idOf("a"),
    [
      [idOf("b"), "ab"],
      [idOf("b"), "ab"],
      [idOf("c"), "cd"],
    ],
    { reason: "contradicted" },
  ],
  [
    "two nodes that agree, against one that contradicts them",
    idOf("a"),
    [
      [idOf("b"), "ab"],
      [idOf("d"), "ab"],
      [idOf("c"), "cd"],
    ],
    { synced: true },
  ],
  [
    "a liar that takes the id of the node that contradicts it",
    idOf("a"),
    [
      [idOf("b"), "ab"],
      [idOf("b"), "cd"],
    ],
    { reason: "contradicted" },
  ],
])("a witness is another node by its own id: %s", async (_, own, nodes, expected) => {
  const host = await use(sshHost());
  const { port } = new URL(await nodeOfId(own, "ab", "127.0.0.1"));
  const target: NodeTarget = { ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: Number(port) };
  const references = await Promise.all(nodes.map(([id, chain]) => nodeOfId(id, chain)));
  expect(await readNodeStatus(target, { references, tolerance: 20 })).toMatchObject(expected);
});

test("a witness that is the host's own node is named, with the key to change, also as the old host", async () => {
  const target = await hostWithNode();
  const [own, newest] = [
    { ...noHost, port: target.port },
    { height: 100, hash: "ab" },
  ];
  const { own: answer } = await openWitnesses({ references: [], witnessHost: target }, own)(newest);
  const url = await nodeOfId(answer?.id);
  const answers = await openWitnesses({ references: [url] }, own)(newest);
  const why =
    "is left out: it is the same node as the node itself, by its id. Set another node's RPC in sync.references";
  expect(judgeWitnesses(100, answers, 20)).toMatchObject({ witnesses: [], notes: [`reference ${url} ${why}`] });
  const asOld = await openWitnesses({ references: [], witnessHost: target }, own)(newest);
  const notes = [`the old host's node (127.0.0.1) ${why}`];
  expect(judgeWitnesses(100, asOld, 20)).toMatchObject({ witnesses: [], notes });
});

/** Rules of a network whose first momentum is `genesis`: v0.0.10 is required from height 100 on. */
const requireV10 = (genesis = "ab") => ({
  mainNetwork: genesis,
  releases: "https://r.example",
  source: "https://s.example/node",
  rows: [{ fromHeight: 100, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" }],
});
const methodsOf = ({ asked }: FakeNode) => asked.map(({ body }) => (JSON.parse(body) as { method: string }).method);
const versionCall = "stats.processInfo";
const tooOld = "it is v0.0.8; v0.0.10 or newer is required from height 100 on (the window)";

test("a witness below the version that its height requires is none, and is named", async () => {
  const start = async (address: string, version: string | undefined, chain = "cd") => {
    const results = {
      ...synced(100, chain),
      ...(version === undefined ? {} : { [versionCall]: { version, commit: "" } }),
    };
    return `http://${address}:${(await use(fakeNode(results, address))).port}`;
  };
  const old = await start("127.0.0.2", "v0.0.8");
  const fresh = await start("127.0.0.3", "v0.0.10");
  const hidden = await start("127.0.0.4", undefined);
  const { target, oldHost: witnessHost } = { target: await hostWithNode(), oldHost: await hostWithNode("v0.0.8") };
  const versions = requireV10("cd");
  const read = async (references: readonly string[], more: object = {}) => {
    const { readings, oldHost } = await openWitnesses({ references, ...more }, { ...noHost, versions })(undefined);
    return [...readings, ...(oldHost ? [oldHost] : [])].map((each) => ("fault" in each ? each.fault.why : "counts"));
  };
  // A public node may hide its version.
  expect(await read([old, fresh, hidden])).toEqual([tooOld, "counts", "counts"]);
  const main = { ...versions, mainNetwork: "ab" };
  expect(await read([], { witnessHost })).toEqual(["counts"]);
  // The requirement is the main network's, which the old host's node is not on.
  const status = { references: [old], tolerance: 20 };
  expect(await readNodeStatus({ ...target, versions: main }, status)).toMatchObject({ reason: "otherChain" });
  expect(await readNodeStatus({ ...target, versions }, status)).toMatchObject({ reason: "unwitnessed" });
  expect(
    await readNodeStatus({ ...target, versions: main }, { references: [], witnessHost, tolerance: 20 }),
  ).toMatchObject({
    reason: "unwitnessed",
  });
});

test("a witness is asked for its version once if that suffices, and each time while it does not", async () => {
  const results = { ...synced(), [versionCall]: { version: "v0.0.8", commit: "" } };
  const node = await use(fakeNode(results));
  const read = openWitnesses({ references: [urlOf(node)] }, { ...noHost, versions: requireV10() });
  const ask = async () => {
    const { readings } = await read(undefined);
    return [readings.map(isAnswered), methodsOf(node).filter((method) => method === versionCall).length];
  };
  expect([await ask(), await ask()]).toEqual([
    [[false], 1],
    [[false], 2],
  ]);
  results[versionCall] = { version: "v0.0.10", commit: "" };
  expect([await ask(), await ask()]).toEqual([
    [[true], 3],
    [[true], 3],
  ]);
});

test("a witness that is the old host is asked only if the others do not confirm the chain", async () => {
  const target = await hostWithNode();
  const witnessHost = { ...(await hostWithNode()), address: "127.0.0.1" };
  const start = async (address: string, chain: string) =>
    `http://${address}:${(await use(fakeNode(synced(100, chain), address))).port}`;
  const [good, other] = [await start("127.0.0.2", "ab"), await start("127.0.0.3", "cd")];
  const isAsked = async (references: readonly string[], asks?: "always") => {
    const read = openWitnesses({ references, witnessHost }, { ...noHost, port: target.port }, asks);
    const { oldHost } = await read({ height: 100, hash: "ab" });
    return oldHost !== undefined;
  };
  expect(await isAsked([good])).toBe(false);
  expect(await isAsked([good], "always")).toBe(true);
  for (const references of [[], [other], [good, other]]) expect(await isAsked(references)).toBe(true);
  // The old host breaks the tie of the references.
  const tie = { references: [good, other], tolerance: 20 };
  expect(await readNodeStatus(target, tie)).toMatchObject({ synced: false, reason: "contradicted" });
  expect(await readNodeStatus(target, { ...tie, witnessHost })).toMatchObject({ synced: true });
});

const seen = (why: string): NodeStatus => ({ synced: true, known: true, why });

test.each([
  [29_999, "early", 1],
  [30_000, "late", 2],
])("a lookup that began early is returned after %i ms: %s", async (age, why, looks) => {
  let time = 0;
  const look = vi.fn<() => Promise<NodeStatus>>();
  look.mockResolvedValueOnce(seen("early")).mockResolvedValueOnce(seen("late"));
  const ahead = prefetch(look, () => time);
  time += age;
  expect((await ahead()).why).toBe(why);
  expect(look).toHaveBeenCalledTimes(looks);
});
