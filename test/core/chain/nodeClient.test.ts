import { test as base, describe, expect } from "vitest";
import { createNodeClient, type NodeClient, type NodeTarget } from "../../../core/chain/node";
import type { VersionRules } from "../../../core/chain/requiredVersions";
import { createConnection } from "../../../core/ssh/connection";
import { readNodeStatus } from "../../../core/sync/nodeStatus";
import { soon } from "../../soon";
import { closedPort, type FakeNode, fakeNode, loginTo, type Server, type SshHost, sshHost, synced } from "./fakes";

interface Fixtures {
  host: SshHost;
  node: FakeNode;
  /** Closes a server when the test is over. */
  use: <T extends Server>(server: T) => T;
  targetOf: (changes?: Partial<NodeTarget>) => NodeTarget;
  /** Creates a client of host and node with these changes. */
  clientOf: (changes?: Partial<NodeTarget>) => NodeClient;
}

const test = base.extend<Fixtures>({
  use: async ({ task: _task }, provide) => {
    const servers: Server[] = [];
    await provide((server) => {
      servers.push(server);
      return server;
    });
    await Promise.all(servers.map((server) => server.close()));
  },
  host: async ({ use }, provide) => provide(use(await sshHost())),
  node: async ({ use }, provide) => provide(use(await fakeNode(synced()))),
  targetOf: async ({ host, node }, provide) =>
    provide((changes = {}) => ({ ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: node.port, ...changes })),
  clientOf: async ({ targetOf }, provide) => {
    const clients: NodeClient[] = [];
    await provide((changes) => {
      const target = targetOf(changes);
      const client = createNodeClient(target, createConnection(target.ssh));
      clients.push(client);
      return client;
    });
    for (const client of clients) client.close();
  },
});

/** Starts a node at another address than the host's. */
const elsewhere = (results: Record<string, unknown>) => fakeNode(results, 0, "127.0.0.2");
const options = { references: [], tolerance: 20, isChainUnverified: true };

describe("a node client", () => {
  test("reads sync info and the newest momentum over one ssh connection", async ({ host, node, clientOf }) => {
    const looks = clientOf();
    const seen = await looks.observe();
    await looks.observe();
    expect(seen).toMatchObject({
      kind: "answer",
      info: { state: 2, currentHeight: 100, targetHeight: 100 },
      newest: { height: 100, hash: "ab" },
      peers: undefined,
    });
    expect(host.connections).toBe(1);
    expect(node.asked.map(({ body }) => (JSON.parse(body) as { method: string }).method)).toEqual([
      "stats.syncInfo",
      "ledger.getFrontierMomentum",
      "stats.syncInfo",
      "ledger.getFrontierMomentum",
    ]);
    expect(node.asked[0]?.headers.host).toBe(`127.0.0.1:${node.port}`);
  });

  test("reads a node directly, without a connection to its host", async ({ host, clientOf }) => {
    expect((await clientOf({ via: "direct" }).observe()).kind).toBe("answer");
    expect(host.connections).toBe(0);
  });

  test("reads the peers instead of the newest momentum in state 3", async ({ use, clientOf }) => {
    const lonely = await fakeNode({
      "stats.syncInfo": { state: 3, currentHeight: 9, targetHeight: 0 },
      "stats.networkInfo": { numPeers: 2 },
    });
    use(lonely);
    expect(await clientOf({ port: lonely.port }).observe()).toMatchObject({ newest: undefined, peers: 2 });
    expect(lonely.asked).toHaveLength(2);
  });

  test("accepts a node without a newest momentum", async ({ use, clientOf }) => {
    const quiet = await fakeNode({ "stats.syncInfo": { state: 2, currentHeight: 9, targetHeight: 9 } });
    use(quiet);
    expect(await clientOf({ port: quiet.port }).observe()).toMatchObject({ kind: "answer", newest: undefined });
  });

  test("reports an absent node, and finds it at the next observation", async ({ clientOf }) => {
    const port = await closedPort();
    expect(await clientOf({ via: "direct", port }).observe()).toEqual({
      kind: "none",
      reason: `connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  test("reconnects after the connection died", async ({ host, clientOf }) => {
    const looks = clientOf();
    await looks.observe();
    host.breakAll();
    await soon(() => expect(host.open).toBe(0));
    expect(await looks.observe()).toMatchObject({ kind: "answer", isReconnected: true });
    expect(await looks.observe()).not.toHaveProperty("isReconnected");
    expect(host.connections).toBe(2);
  });

  test("keeps the connection to the host of an absent node", async ({ host, node, clientOf }) => {
    const looks = clientOf();
    await looks.observe();
    await node.close();
    expect(await looks.observe()).toMatchObject({ kind: "none" });
    expect(await looks.observe()).not.toHaveProperty("unreachable");
    expect(host.connections).toBe(1);
  });

  test("distinguishes an absent host from an absent node", async ({ host, clientOf }) => {
    const ssh = { ...loginTo(host), port: await closedPort() };
    expect(await clientOf({ ssh }).observe()).toMatchObject({ kind: "none", unreachable: true });
  });

  test("throws for another host key and a refused login", async ({ host, clientOf }) => {
    const ssh = loginTo(host);
    await expect(
      clientOf({ ssh: { ...ssh, hostKey: `${ssh.hostKey.slice(0, -4)}AAAA` } }).observe(),
    ).rejects.toMatchObject({
      fatal: true,
    });
    await expect(clientOf({ ssh: { ...ssh, password: "wrong" } }).observe()).rejects.toMatchObject({ fatal: true });
  });

  // A connection left open keeps the program's process, and pulumi up, from ending.
  test("leaves no connection if it is closed while it connects", async ({ use, clientOf }) => {
    let letIn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letIn = resolve;
    });
    const slow = await sshHost(
      ({ method }) => method === "password",
      () => held,
    );
    use(slow);
    const looks = clientOf({ ssh: loginTo(slow) });
    const looking = looks.observe().catch(() => undefined);
    await soon(() => expect(slow.open).toBe(1));
    looks.close();
    letIn();
    await looking;
    await soon(() => expect(slow.open).toBe(0));
  });

  test("a node's status needs the references if the node's own answer is not enough", async ({ use, targetOf }) => {
    const late = use(await fakeNode(synced(), -300_000));
    const others = await Promise.all([elsewhere(synced(99)), elsewhere(synced(102))]);
    for (const other of others) use(other);
    const target = targetOf({ via: "direct", port: late.port });
    expect(await readNodeStatus(target, options)).toMatchObject({ synced: false, known: true });
    const references = others.map(({ port }) => `http://127.0.0.2:${port}`);
    expect(await readNodeStatus(target, { ...options, references })).toMatchObject({ synced: true, known: true });
  });

  test("never calls a node synced that is on another chain than the references", async ({ use, targetOf }) => {
    const others = await Promise.all([elsewhere(synced(6000, "cd")), elsewhere(synced(6001, "cd"))]);
    for (const other of others) use(other);
    const references = others.map(({ port }) => `http://127.0.0.2:${port}`);
    expect(await readNodeStatus(targetOf(), { ...options, references })).toMatchObject({
      synced: false,
      known: true,
      reason: "otherChain",
      why: `the node is on another chain than the references: its momentum 100 is ab, that of reference ${references[0]} is cd (so say 2 of them)`,
    });
  });

  test("a node's status tolerates references that contradict a fresh momentum, as the gate does", async ({
    use,
    targetOf,
  }) => {
    const liars = await Promise.all([elsewhere(synced(5000)), elsewhere(synced(5000))]);
    for (const liar of liars) use(liar);
    const references = liars.map(({ port }) => `http://127.0.0.2:${port}`);
    expect(await readNodeStatus(targetOf(), { ...options, references })).toMatchObject({ synced: true });
  });

  describe("the status of an outdated node", () => {
    const versions: VersionRules = {
      mainNetwork: "ab",
      releases: "https://r.example",
      rows: [{ fromHeight: 100, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" }],
    };
    const methods = (node: FakeNode) => node.asked.map(({ body }) => (JSON.parse(body) as { method: string }).method);
    const build = (version: string) => ({ "stats.processInfo": { version, commit: "" } });

    test.for<[string, Record<string, unknown>, boolean]>([
      ["in the window, on the main network", { ...synced(), ...build("v0.0.8") }, false],
      ["of another network by its first momentum", { ...synced(100, "cd"), ...build("v0.0.8") }, true],
    ])("is synced or too old: %s", async ([, results, isSynced], { use, targetOf }) => {
      const node = use(await fakeNode(results));
      const status = await readNodeStatus(targetOf({ port: node.port, versions }), options);
      expect(status).toMatchObject({ synced: isSynced, known: true, ...(isSynced ? {} : { reason: "oldVersion" }) });
      if (!isSynced)
        expect(status.why).toMatch(
          /; v0\.0\.10 or newer is required.*: install v0\.0\.10 or newer from https:\/\/r\.example/,
        );
    });

    test("reads the version only if one is required, and the first momentum only if it decides", async ({
      use,
      targetOf,
    }) => {
      const asked = async (results: Record<string, unknown>) => {
        const node = use(await fakeNode(results));
        await readNodeStatus(targetOf({ port: node.port, versions }), options);
        return methods(node).slice(2);
      };
      expect(await asked({ ...synced(99), ...build("v0.0.8") })).toEqual([]);
      expect(await asked({ ...synced(), ...build("v0.0.10") })).toEqual(["stats.processInfo"]);
      expect(await asked({ ...synced(), ...build("v0.0.8") })).toEqual([
        "stats.processInfo",
        "ledger.getMomentumsByHeight",
      ]);
    });
  });

  test.for([1, 2])("waits for a momentum that the node is adding, state %i", async (state, { use, targetOf }) => {
    const results: Record<string, unknown> = { "stats.syncInfo": { state, currentHeight: 99, targetHeight: 100 } };
    const taking = use(await fakeNode(results));
    setTimeout(() => Object.assign(results, synced()), 500);
    expect(await readNodeStatus(targetOf({ via: "direct", port: taking.port }), options)).toMatchObject({
      synced: true,
    });
  });

  test("returns a node's present status, and never throws", async ({ host, targetOf }) => {
    expect(await readNodeStatus(targetOf(), options)).toMatchObject({
      synced: true,
      known: true,
      state: 2,
      currentHeight: 100,
    });
    const gone = await readNodeStatus(targetOf({ via: "direct", port: await closedPort() }), options);
    expect(gone).toMatchObject({ synced: false, known: false, why: expect.stringContaining("ECONNREFUSED") });
    const refused = await readNodeStatus(targetOf({ ssh: { ...loginTo(host), password: "wrong" } }), options);
    expect(refused).toMatchObject({ synced: false, known: false, why: expect.stringContaining("refuses the login") });
    await soon(() => expect(host.open).toBe(0));
  });
});
