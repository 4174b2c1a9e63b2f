import { expect, onTestFinished, test } from "vitest";
import { openNodeChain } from "../../../core/chain/chain.ts";
import { createNodeCalls, type NodeTarget } from "../../../core/chain/node.ts";
import type { VersionRules } from "../../../core/chain/versionRules.ts";
import type { Connection } from "../../../core/ssh/connection.ts";
import { readNodeStatus } from "../../../core/sync/nodeStatus.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { soon } from "../../soon.ts";
import { closedPort, type FakeNode, fakeNode, loginTo, sshHost, synced, use } from "./fakes.ts";

/** Starts a host with a node of these results, and returns both, with a target and a client of them. */
async function start(results: Record<string, unknown> = synced(), changes: Partial<NodeTarget> = {}) {
  const [host, node] = await Promise.all([use(sshHost()), use(fakeNode(results))]);
  const target: NodeTarget = { ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: node.port, ...changes };
  return { host, node, target, client: clientOf(target) };
}
function clientOf(target: NodeTarget) {
  const client = openNodeChain("the node", target);
  onTestFinished(() => client.close());
  return client;
}
const methods = (node: FakeNode) => node.asked.map(({ body }) => (JSON.parse(body) as { method: string }).method);

test("a client reads sync info and the newest momentum over one ssh connection", async () => {
  const { host, node, client } = await start();
  const seen = await client.observe();
  await client.observe();
  expect(seen).toMatchObject({
    kind: "answer",
    info: { state: 2, currentHeight: 100, targetHeight: 100 },
    newest: { height: 100, hash: "ab" },
    peers: undefined,
  });
  expect(host.connections).toBe(1);
  const both = ["stats.syncInfo", "ledger.getFrontierMomentum"];
  expect(methods(node)).toEqual([...both, ...both]);
  expect(node.asked[0]?.headers.host).toBe(`127.0.0.1:${node.port}`);
  // docs/specification.md, 4.1
  expect(new Set(node.asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
});

test("a client reads a node directly, without a connection to its host", async () => {
  const { host, client, target } = await start(synced(), { via: "direct" });
  expect((await client.observe()).kind).toBe("answer");
  const port = await closedPort();
  const reason = `connect ECONNREFUSED 127.0.0.1:${port}`;
  expect(await clientOf({ ...target, port }).observe()).toEqual({ kind: "none", reason });
  expect(host.connections).toBe(0);
});

test("a client reads the peers instead of the newest momentum in state 3, and accepts a node without either", async () => {
  const info = { state: 3, currentHeight: 9, targetHeight: 0 };
  const lonely = await start({ "stats.syncInfo": info, "stats.networkInfo": { numPeers: 2 } });
  expect(await lonely.client.observe()).toMatchObject({ newest: undefined, peers: 2 });
  expect(lonely.node.asked).toHaveLength(2);
  const quiet = await start({ "stats.syncInfo": { ...info, state: 2 } });
  expect(await quiet.client.observe()).toMatchObject({ kind: "answer", newest: undefined });
});

test("a client reconnects after the connection died, and keeps the one to the host of an absent node", async () => {
  const { host, node, client } = await start();
  await client.observe();
  host.breakAll();
  await soon(() => expect(host.open).toBe(0));
  expect(await client.observe()).toMatchObject({ kind: "answer", isReconnected: true });
  expect(await client.observe()).not.toHaveProperty("isReconnected");
  await node.close();
  expect(await client.observe()).toMatchObject({ kind: "none" });
  expect(await client.observe()).not.toHaveProperty("unreachable");
  expect(host.connections).toBe(2);
});

test("a port on which nothing listens may be the wrong one", async () => {
  const closed = new ProblemError({ kind: "closedPort", what: "nothing listens on 10.0.0.2:35997, seen from h" });
  const connection = { session: async () => ({ forward: () => Promise.reject(closed) }) } as unknown as Connection;
  const call = createNodeCalls({ via: "ssh", address: "10.0.0.2", port: 35997 } as NodeTarget, connection, () => {});
  await expect(call("stats.syncInfo", [], 1000)).rejects.toThrow(
    "nothing listens on 10.0.0.2:35997, seen from h: the node is down, restarts, or listens elsewhere (rpcAddress, rpcPort)",
  );
});

test("a client distinguishes an absent host, another host key and a refused login", async () => {
  const { target } = await start();
  const { ssh } = target;
  const to = (changes: object) => clientOf({ ...target, ssh: { ...ssh, ...changes } }).observe();
  expect(await to({ port: await closedPort() })).toMatchObject({ kind: "none", unreachable: true });
  await expect(to({ hostKey: `${ssh.hostKey.slice(0, -4)}AAAA` })).rejects.toMatchObject({
    problem: { kind: "otherHostKey" },
  });
  await expect(to({ password: "wrong" })).rejects.toMatchObject({ problem: { kind: "refusedLogin" } });
});

// A connection left open keeps the program's process, and pulumi up, from ending.
test("a client leaves no connection if it is closed while it connects", async () => {
  let letIn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letIn = resolve;
  });
  const slow = await use(sshHost(undefined, () => held));
  const client = clientOf({ ssh: loginTo(slow), via: "ssh", address: "127.0.0.1", port: 1 });
  const looking = client.observe().catch(() => undefined);
  await soon(() => expect(slow.open).toBe(1));
  client.close();
  letIn();
  await looking;
  await soon(() => expect(slow.open).toBe(0));
});

const options = { references: [], tolerance: 20, isChainUnverified: true };
/** Starts references at another address than the host's. */
const startReferences = (...results: Record<string, unknown>[]) =>
  Promise.all(results.map(async (each) => `http://127.0.0.2:${(await use(fakeNode(each, "127.0.0.2"))).port}`));

test("the status is never synced on another chain than the references, nor at another height", async () => {
  const { target } = await start();
  const references = await startReferences(synced(6000, "cd"), synced(6001, "cd"));
  expect(await readNodeStatus(target, { ...options, references })).toMatchObject({
    synced: false,
    known: true,
    reason: "otherChain",
    why: `the node is on another chain than the references: its momentum 100 is ab, that of reference ${references[0]} is cd (so say 2 of them)`,
  });
  const liars = await startReferences(synced(5000), synced(5000));
  expect(await readNodeStatus(target, { ...options, references: liars })).toMatchObject({ reason: "contradicted" });
});

test("the status reads the version only if one is required, and the first momentum only if it decides", async () => {
  const versions: VersionRules = {
    mainNetwork: "ab",
    source: "https://git.example/node",
    releases: "https://r.example",
    rows: [{ fromHeight: 100, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" }],
  };
  const read = async (version: string, height = 100, chain = "ab") => {
    const results = { ...synced(height, chain), "stats.processInfo": { version, commit: "" } };
    const { node, target } = await start(results, { versions });
    return { ...(await readNodeStatus(target, options)), asked: methods(node).slice(2) };
  };
  const [version, momentum] = ["stats.processInfo", "ledger.getMomentumsByHeight"];
  expect(await read("v0.0.8")).toMatchObject({
    synced: false,
    reason: "oldVersion",
    why: expect.stringMatching(/; v0\.0\.10 or newer is required.*: install v0\.0\.10 or newer from https:\/\/r\./),
    asked: [version, momentum],
  });
  expect(await read("v0.0.8", 100, "cd")).toMatchObject({ synced: true, asked: [version, momentum] });
  expect(await read("v0.0.8", 99)).toMatchObject({ synced: true, asked: [] });
  expect(await read("v0.0.10")).toMatchObject({ synced: true, asked: [version] });
});

test.each([1, 2])("the status waits for a momentum that the node is adding, state %i", async (state) => {
  const results: Record<string, unknown> = { "stats.syncInfo": { state, currentHeight: 99, targetHeight: 100 } };
  const { target } = await start(results, { via: "direct" });
  setTimeout(() => Object.assign(results, synced()), 500);
  expect(await readNodeStatus(target, options)).toMatchObject({ synced: true });
});

test("the status is the present one, or a problem instead of an error", async () => {
  const { host, target } = await start();
  const info = { state: 2, currentHeight: 100, targetHeight: 100 };
  expect(await readNodeStatus(target, options)).toMatchObject({ synced: true, known: true, ...info });
  const gone = await readNodeStatus({ ...target, via: "direct", port: await closedPort() }, options);
  expect(gone).toMatchObject({ synced: false, known: false, why: expect.stringContaining("ECONNREFUSED") });
  const refused = await readNodeStatus({ ...target, ssh: { ...target.ssh, password: "wrong" } }, options);
  expect(refused).toMatchObject({ synced: false, known: false, why: expect.stringContaining("refuses the login") });
  await soon(() => expect(host.open).toBe(0));
});
