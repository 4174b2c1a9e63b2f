import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address.ts";
import { bundleNode } from "../../lab/doubles/bundle.ts";
import { Chain, defaultNodeSettings, type NodeSettings, serveChain } from "../../lab/doubles/chain/index.ts";
import { readIntoCache } from "../../lab/doubles/node/cacheDatabase.ts";
import { storedHeight, storeHeight } from "../../lab/doubles/node/database.ts";
import { NodeDouble } from "../../lab/doubles/node/node.ts";
import { Sync } from "../../lab/doubles/node/sync.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { soon } from "../soon.ts";

const began = 1_700_000_000_000;
const producer = addressFrom("producer");

/** Starts a node on a chain whose clock a test moves: it reports what it is ten times a second, like the double. */
function started(settings: Partial<NodeSettings> = {}, startHeight = 100) {
  let now = began;
  const chain = new Chain({ height: 100, clock: () => now });
  chain.patchTruth({ momentumSeconds: 1, backgroundPillars: 1 });
  chain.patchPillar("Anvil", { producerAddress: producer });
  const sync = new Sync(startHeight, now);
  let own: NodeSettings = { ...defaultNodeSettings, ...settings };
  const info = () => sync.info(now, own, chain.network());
  return {
    chain,
    sync,
    info,
    set: (changes: Partial<NodeSettings>) => {
      own = { ...own, ...changes };
    },
    run(seconds: number): void {
      for (let tenth = 0; tenth < seconds * 10; tenth++) {
        now += 100;
        sync.advance(now, own, chain.network());
        const { height, isSynced: synced } = sync;
        const process = { startedAt: began, startHeight, producerAddress: producer };
        chain.report("host1", { height, state: info().state, synced, ...process });
      }
    },
  };
}

describe("a node's peers", () => {
  it("come one after the other, and the eighth ends state 3", () => {
    const node = started();
    expect([node.sync.peers, node.info()]).toEqual([0, { state: 3, currentHeight: 100, targetHeight: 0 }]);
    node.run(3.5);
    const { height } = node.chain.network();
    node.run(0.4);
    expect([node.sync.peers, node.info()]).toEqual([7, { state: 3, currentHeight: 100, targetHeight: height }]);
    node.run(0.2);
    const newest = node.chain.network().height;
    expect([node.sync.peers, node.info()]).toEqual([8, { state: 2, currentHeight: newest, targetHeight: newest }]);
  });

  it("leave it in state 3 if they are seven: it takes in nothing, makes nothing, and its target is that of the start", () => {
    const node = started({ peers: 7 });
    node.run(3.5);
    const { height } = node.chain.network();
    node.run(60);
    expect(node.chain.network().height).toBeGreaterThan(height + 20);
    expect([node.sync.peers, node.sync.isSynced]).toEqual([7, false]);
    expect(node.info()).toEqual({ state: 3, currentHeight: 100, targetHeight: height });
    expect(node.chain.production().length).toBeGreaterThan(20);
    expect(node.chain.production().filter(({ nodes }) => nodes.length > 0)).toEqual([]);
  });

  it("are searched for again after one was lost, and meanwhile its Pillar misses its slots", () => {
    const node = started();
    node.run(10.5);
    const made = () => node.chain.production().filter(({ nodes }) => nodes.length > 0).length;
    const before = made();
    expect(before).toBeGreaterThan(0);
    const { height } = node.sync;
    node.set({ peers: 7 });
    node.run(10);
    expect([made(), node.info()]).toEqual([before, { state: 3, currentHeight: height, targetHeight: height }]);
    node.set({ peers: 8, peerMs: 15_000 });
    node.run(14.9);
    expect([made(), node.info().state]).toEqual([before, 3]);
    node.run(5);
    expect(node.info().state).toBe(2);
    expect(made()).toBeGreaterThan(before);
  });

  it("are lost half a minute after a cut: until then it says synced, and its Pillar makes nothing meanwhile", () => {
    const node = started();
    node.run(10);
    const made = () => node.chain.production().filter(({ nodes }) => nodes.length > 0).length;
    const [before, { height }] = [made(), node.sync];
    expect(before).toBeGreaterThan(0);
    node.set({ cut: true });
    node.run(34.9);
    expect([node.sync.peers, node.info()]).toEqual([8, { state: 2, currentHeight: height, targetHeight: height }]);
    node.run(0.5);
    expect([node.sync.peers, node.info()]).toEqual([0, { state: 3, currentHeight: height, targetHeight: 0 }]);
    expect([made(), node.chain.network().height > height + 10]).toEqual([before, true]);
    node.set({ cut: false });
    node.run(5);
    expect([node.sync.peers, node.info().state]).toEqual([8, 2]);
    node.run(3);
    expect(made()).toBeGreaterThan(before);
  });

  it("survive a moment without the network, and no long one", () => {
    const node = started();
    node.run(5);
    node.sync.advance(began + 9_000, defaultNodeSettings, undefined);
    expect(node.sync.info(began + 9_000, defaultNodeSettings, undefined)).toMatchObject({ state: 3, targetHeight: 0 });
    expect(node.sync.peers).toBe(8);
    node.sync.advance(began + 10_100, defaultNodeSettings, undefined);
    expect(node.sync.peers).toBe(0);
  });
});

describe("a version with a cache database", () => {
  const directory = scratchDirectory();
  let dataDir = "";
  let chain: Chain;
  let served: Awaited<ReturnType<typeof serveChain>>;

  beforeEach(async () => {
    dataDir = directory();
    chain = new Chain({ height: 300_000 });
    served = await serveChain({ host: "127.0.0.1", port: 0, chain });
  });
  afterEach(() => served.close());

  const read = async (cacheMs = 0) => {
    const lines: string[] = [];
    await readIntoCache({ dataDir, cacheMs, isStopped: () => false, print: (line) => lines.push(line) });
    return lines;
  };

  it("reads every momentum at its first start, and answers only then", async () => {
    storeHeight(dataDir, 300_000);
    chain.patchNode("host1", { cacheMs: 300, startRefusedMs: 0 });
    const printed: { readonly line: string; readonly rpcUrl: string }[] = [];
    const options = { dataDir, listen: "127.0.0.1", ports: { rpc: 0, ws: 0, p2p: 0 }, chainUrl: served.url };
    const print = (line: string) => void printed.push({ line, rpcUrl: node.rpcUrl });
    const node: NodeDouble = new NodeDouble({ ...options, name: "host1", print });
    await node.start();
    // The RPC has no port before it is opened.
    expect(printed.filter(({ line }) => line.startsWith("Initializing cache"))).toEqual(
      ["0", "33", "66", "100"].map((share) => ({
        line: `Initializing cache: ${share}%`,
        rpcUrl: "http://127.0.0.1:0",
      })),
    );
    expect((await fetch(node.rpcUrl)).status).toBe(200);
    await node.stop();
    expect([storedHeight(dataDir, "cache"), await read(60_000)]).toEqual([300_000, []]);
  });

  it("reads nothing on a host without a chain, and the rest after a kill or an older version", async () => {
    expect(await read(60_000)).toEqual([]);
    storeHeight(dataDir, 250_000);
    storeHeight(dataDir, 240_000, "cache");
    expect(await read()).toEqual([]);
    storeHeight(dataDir, 450_000);
    expect(await read()).toEqual(["Initializing cache: 0%", "Initializing cache: 66%", "Initializing cache: 88%"]);
  });

  it("does not start with a cache far ahead of the chain, as a Resync leaves it", async () => {
    storeHeight(dataDir, 1000);
    storeHeight(dataDir, 1100, "cache");
    await read();
    expect(storedHeight(dataDir, "cache")).toBe(1000);
    storeHeight(dataDir, 1101, "cache");
    await expect(read()).rejects.toThrow("can't rollback cache");
  });

  it("ends at once by a signal while it reads, and its database may be torn", async () => {
    const program = path.join(dataDir, "go-node.cjs");
    writeFileSync(program, await bundleNode({ version: "v0.0.11", settings: { cacheMs: 600_000 } }));
    storeHeight(dataDir, 300_000);
    const where = ["--data", dataDir, "--listen", "127.0.0.1", "--rpc", "0", "--ws", "0", "--p2p", "0"];
    const node = spawn(process.execPath, [program, ...where, "--chain", served.url, "--name", "host1"]);
    let printed = "";
    node.stdout.on("data", (text) => {
      printed += text;
    });
    await soon(() => expect(printed).toContain("Initializing cache: 0%"));
    node.kill("SIGTERM");
    expect(await once(node, "exit")).toEqual([null, "SIGTERM"]);
    expect(existsSync(path.join(dataDir, "nom/open"))).toBe(true);
  });
});
