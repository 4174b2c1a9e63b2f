import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findUnknownSporks, parseSporks } from "../../../core/chain/sporks.ts";
import type { Lab } from "../../../lab/lab.ts";
import { RealNetwork } from "../../../lab/real/realNetwork.ts";
import { testLab } from "../fixture.ts";
import { contract, realOnly } from "./contract.ts";

interface Momentum {
  readonly height: number;
  readonly hash: string;
  readonly previousHash: string;
  /** Seconds. */
  readonly timestamp: number;
  readonly producer: string;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface SyncInfo {
  readonly state: number;
  readonly currentHeight: number;
  readonly targetHeight: number;
}

/** Lets a real node need eight peers, as on the main network, in a network that has three others. */
async function needEightPeers(network: RealNetwork, name: string): Promise<void> {
  const file = path.join(network.node(name).data, "config.json");
  const config = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...config, Net: { ...config.Net, MinPeers: 8 } }));
}

const address = /^z1q[a-z0-9]{37}$/;
const hash = /^[0-9a-f]{64}$/;

// A node that is synced on a chain that grows: the double as a reference, the real one in a network of three Pillars.
const world = ["znnd", "node-world/znndev"] as const;

contract("node", world, (kind) => {
  let lab: Lab;
  let network: RealNetwork;
  let rpc: string;
  let pillar: string;

  async function http(...args: string[]): Promise<{ status: number; body: string }> {
    const { stdout } = await lab.run(["curl", "-s", "-w", "\n%{http_code}", ...args]);
    const end = stdout.lastIndexOf("\n");
    return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
  }

  async function askAt(url: string, method: string, ...params: unknown[]): Promise<Answer> {
    const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { status, body } = await http("-H", "content-type: application/json", "-d", request, url);
    expect(status).toBe(200);
    return JSON.parse(body);
  }

  const ask = (method: string, ...params: unknown[]) => askAt(rpc, method, ...params);
  const resultOf = async <T>(method: string, ...params: unknown[]) => (await ask(method, ...params)).result as T;
  const frontier = () => resultOf<Momentum>("ledger.getFrontierMomentum");

  beforeAll(async () => {
    lab = await testLab();
    if (kind === "double") {
      rpc = await lab.addReference("ref1");
      pillar = "Anvil";
      await lab.chain("PATCH", "/pillars/Anvil", {});
      return;
    }
    network = await RealNetwork.create(lab);
    await network.start("p1", "p2", "p3");
    rpc = network.node("p1").rpc;
    pillar = "Pillar-1";
    // Ten seconds to the genesis, and as many to each momentum after it.
    const height = async () => (await frontier().catch(() => undefined))?.height;
    const grown = async () => expect(await height()).toBeGreaterThanOrEqual(4);
    await vi.waitFor(grown, { timeout: 180_000, interval: 1000 });
  });

  afterAll(async () => {
    await lab?.down();
  });

  test("stats.syncInfo has state 2 and both heights, which differ by little, beside peers and version", async () => {
    const info = await resultOf<Record<string, number>>("stats.syncInfo");
    expect(info).toEqual({ state: 2, currentHeight: expect.any(Number), targetHeight: expect.any(Number) });
    const { currentHeight = 0, targetHeight = 0 } = info;
    expect(currentHeight).toBeGreaterThan(3);
    expect(Math.abs(currentHeight - targetHeight)).toBeLessThanOrEqual(2);
    const publicKey = expect.stringMatching(/^[0-9a-f]{128}$/);
    const self = { publicKey, ip: "127.0.0.1", name: "*self*" };
    const network = await resultOf<{ numPeers: number; peers: unknown[] }>("stats.networkInfo");
    expect(network).toEqual({ numPeers: expect.any(Number), peers: expect.any(Array), self });
    expect(network.peers).toHaveLength(network.numPeers);
    expect(network.peers).toContainEqual({ publicKey, ip: expect.any(String), name: expect.any(String) });
    expect(await resultOf("stats.processInfo")).toEqual({ version: expect.any(String), commit: expect.any(String) });
  });

  test("stats.syncInfo has state 1 only briefly, while a momentum is applied", async () => {
    // Asked over one connection, as often as it answers, over more than two momentums.
    const ask = `
      const http = require("node:http"), agent = new http.Agent({ keepAlive: true }), end = Date.now() + 25000, seen = [];
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "stats.syncInfo", params: [] });
      const next = () => http.request(process.argv[1], { agent, method: "POST", headers: { "content-type": "application/json" } },
        (answer) => { let text = ""; answer.on("data", (part) => { text += part; }).on("end", () => {
          const at = Date.now();
          seen.push([at, JSON.parse(text).result]);
          if (at < end) setTimeout(next, 1); else console.log(JSON.stringify(seen)), agent.destroy(); }); }).end(body);
      next();`;
    const { stdout } = await lab.run([process.execPath, "-e", ask, rpc], { maxBuffer: 1e9 });
    const seen = JSON.parse(stdout) as [number, { state: number; currentHeight: number; targetHeight: number }][];
    const heights = seen.map(([, { currentHeight }]) => currentHeight);
    expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThanOrEqual(2);
    const taking = seen.filter(([, { state }]) => state !== 2);
    for (const [, { state, currentHeight, targetHeight }] of taking)
      expect({ state, behind: targetHeight - currentHeight }).toEqual({ state: 1, behind: 1 });
    for (const height of new Set(taking.map(([, info]) => info.currentHeight))) {
      const times = taking.filter(([, info]) => info.currentHeight === height).map(([at]) => at);
      expect(Math.max(...times) - Math.min(...times)).toBeLessThan(1000);
    }
    // A real node takes so little time that a lookup finds it at one momentum of many.
    if (kind === "double") expect(taking.length).toBeGreaterThan(0);
  });

  test("below eight peers, stats.syncInfo has state 3 beside a target, and the height does not grow", async () => {
    let lonely: string;
    if (kind === "double") {
      lonely = await lab.addReference("ref2");
      await lab.chain("PATCH", "/nodes/ref2", { peers: 3 });
    } else {
      await needEightPeers(network, "s1");
      await network.start("s1");
      lonely = network.node("s1").rpc;
    }
    const info = async () => (await askAt(lonely, "stats.syncInfo")).result as SyncInfo;
    const few = { state: 3, currentHeight: expect.any(Number), targetHeight: expect.toSatisfy((height) => height > 0) };
    await vi.waitFor(async () => expect(await info()).toEqual(few), { timeout: 60_000, interval: 500 });
    type NetworkInfo = { readonly numPeers: number; readonly self: { readonly publicKey: string } };
    const { numPeers, self } = (await askAt(lonely, "stats.networkInfo")).result as NetworkInfo;
    expect(self.publicKey).not.toBe((await resultOf<NetworkInfo>("stats.networkInfo")).self.publicKey);
    expect([0 < numPeers, numPeers < 8]).toEqual([true, true]);
    const { currentHeight } = await info();
    const { height } = await frontier();
    const grown = async () => expect((await frontier()).height).toBeGreaterThanOrEqual(height + 2);
    await vi.waitFor(grown, { timeout: 120_000, interval: 1000 });
    expect(await info()).toEqual({ ...few, currentHeight });
  });

  describe("momentums", () => {
    test("the newest has height, hashes, producer and a recent time", async () => {
      const newest = await frontier();
      expect(newest).toMatchObject({
        height: expect.any(Number),
        hash: expect.stringMatching(hash),
        previousHash: expect.stringMatching(hash),
        producer: expect.stringMatching(address),
      });
      expect(Math.abs(Date.now() / 1000 - newest.timestamp)).toBeLessThan(60);
    });

    test("come in order by height, with the newest height as count, and none beyond it", async () => {
      const newest = await frontier();
      const { count, list } = await resultOf<{ count: number; list: Momentum[] }>("ledger.getMomentumsByHeight", 1, 4);
      expect(count).toBeGreaterThanOrEqual(newest.height);
      expect(list.map(({ height }) => height)).toEqual([1, 2, 3, 4]);
      for (const [i, { previousHash, timestamp }] of list.entries()) {
        const before = list[i - 1];
        if (!before) continue;
        expect(previousHash).toBe(before.hash);
        expect(timestamp).toBeGreaterThan(before.timestamp);
      }
      expect(await resultOf("ledger.getMomentumsByHeight", 1e9, 10)).toEqual({ count: expect.any(Number), list: [] });
    });

    test("are strictly before a time, and the newest for a future time", async () => {
      const { list } = await resultOf<{ list: Momentum[] }>("ledger.getMomentumsByHeight", 1, 3);
      const [first, second, third] = list;
      if (!first || !second || !third) throw new Error("the chain has no three momentums");
      const newestBefore = (seconds: number) => resultOf<Momentum | null>("ledger.getMomentumBeforeTime", seconds);
      expect((await newestBefore(third.timestamp))?.height).toBe(2);
      expect((await newestBefore(third.timestamp + 1))?.height).toBe(3);
      expect(await newestBefore(first.timestamp)).toBeNull();
      const late = await newestBefore(Math.round(Date.now() / 1000) + 86_400);
      expect(Math.abs((late?.height ?? 0) - (await frontier()).height)).toBeLessThanOrEqual(1);
    });
  });

  describe("Pillars", () => {
    test("one is found by its name, and an unknown name is null", async () => {
      const shown = await resultOf<Record<string, unknown>>("embedded.pillar.getByName", pillar);
      expect(shown).toMatchObject({
        name: pillar,
        producerAddress: expect.stringMatching(address),
        withdrawAddress: expect.stringMatching(address),
        weight: expect.stringMatching(/^\d+$/),
        currentStats: { producedMomentums: expect.any(Number), expectedMomentums: expect.any(Number) },
      });
      expect(await resultOf("embedded.pillar.getByName", "Nobody")).toBeNull();
    });

    test("all come in pages, with the total as count", async () => {
      const all = await resultOf<{ count: number; list: { name: string }[] }>("embedded.pillar.getAll", 0, 1000);
      expect(all.list.length).toBe(all.count);
      expect(all.list.map(({ name }) => name)).toContain(pillar);
      expect(await resultOf("embedded.pillar.getAll", 1, 1000)).toEqual({ count: all.count, list: [] });
    });

    test("rewards and history come in pages; an address without rewards has 0", async () => {
      const address = "z1qqvwzz2xq7q5gwk6uhcddgrpxlfcyzc8rsu82s";
      const nothing = { address, znnAmount: "0", qsrAmount: "0" };
      expect(await resultOf("embedded.pillar.getUncollectedReward", address)).toEqual(nothing);
      const page = { count: expect.any(Number), list: expect.any(Array) };
      expect(await resultOf("embedded.pillar.getFrontierRewardByPage", address, 0, 5)).toMatchObject(page);
      expect(await resultOf("embedded.pillar.getPillarEpochHistory", pillar, 0, 5)).toMatchObject(page);
    });
  });

  test("a bridge that is not set up has no key and is not halted", async () => {
    const info = await resultOf<Record<string, unknown>>("embedded.bridge.getBridgeInfo");
    expect(info).toEqual({
      administrator: expect.stringMatching(address),
      compressedTssECDSAPubKey: "",
      decompressedTssECDSAPubKey: "",
      allowKeyGen: false,
      halted: false,
      unhaltedAt: 0,
      unhaltDurationInMomentums: 2160,
      tssNonce: 0,
      metadata: "{}",
    });
  });

  test("sporks come in pages, with the height from which each is enforced", async () => {
    const { count, list } = await resultOf<{ count: number; list: object[] }>("embedded.spork.getAll", 0, 1024);
    expect(list).toHaveLength(count);
    for (const spork of list)
      expect(spork).toEqual({
        id: expect.stringMatching(hash),
        name: expect.any(String),
        description: expect.any(String),
        activated: expect.any(Boolean),
        enforcementHeight: expect.any(Number),
      });
    // The list has the node's own three, in the order of their ids.
    expect(findUnknownSporks(parseSporks({ list }), "v0.0.8")).toEqual([]);
    expect(list.map((spork) => (spork as { id: string }).id.slice(0, 4))).toEqual(["6d2b", "ceb7", "ddd4"]);
    expect(await resultOf("embedded.spork.getAll", 1, 1024)).toEqual({ count, list: [] });
  });

  describe("manners", () => {
    test.each([
      [-32601, "the method nope.nope does not exist/is not available", "nope.nope"],
      [-32602, "missing value for required argument 1", "ledger.getMomentumsByHeight", 1],
      [-32000, "height parameter must be strictly greater than zero", "ledger.getMomentumsByHeight", 0, 10],
      [-32000, "count parameter is too big", "ledger.getMomentumsByHeight", 1, 1025],
      [-32000, "page-size parameter is too big", "embedded.pillar.getAll", 0, 1025],
      [-32000, "page-size parameter is too big", "embedded.spork.getAll", 0, 1025],
    ])("error %i, %s, of %s(%s, %s)", async (code, message, method, ...params) => {
      expect((await ask(method, ...params)).error).toEqual({ code, message });
    });

    const json = ["-H", "content-type: application/json"];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "stats.syncInfo", params: [] });

    test("refuses a name in the Host header, and a content type other than JSON", async () => {
      expect(await http(...json, "-H", "host: node.example", "-d", body, rpc)).toEqual({
        status: 403,
        body: "invalid host specified\n",
      });
      const { status } = await http("-H", "content-type: text/plain", "-d", body, rpc);
      expect(status).toBe(415);
    });

    test("answers a GET with a body, and another path with 404", async () => {
      expect((await http(...json, "-X", "GET", "-d", body, rpc)).status).toBe(200);
      expect((await http(...json, "-d", body, `${rpc}/other`)).status).toBe(404);
    });
  });
});

realOnly("node with too few peers", world, () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await testLab();
  });
  afterAll(() => lab?.down());

  test("makes no momentum in its Pillar's slots", async () => {
    const network = await RealNetwork.create(lab);
    await needEightPeers(network, "p3");
    await network.start("p1", "p2", "p3");
    const body = (method: string, params: readonly number[]) =>
      JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const ask = async (method: string, ...params: number[]) => {
      const json = ["-H", "content-type: application/json", "-d", body(method, params)];
      const { stdout } = await lab.run(["curl", "-s", ...json, network.node("p1").rpc]);
      return JSON.parse(stdout).result;
    };
    const list = async () => (await ask("ledger.getMomentumsByHeight", 2, 100)).list as Momentum[];
    const momentums = await vi.waitFor(
      async () => {
        const found = await list();
        expect(found.length).toBeGreaterThanOrEqual(10);
        return found;
      },
      { timeout: 300_000, interval: 2000 },
    );
    const of = (name: string) => momentums.filter(({ producer }) => producer === network.node(name).producer).length;
    expect([of("p1") > 0, of("p2") > 0, of("p3")]).toEqual([true, true, 0]);
  });
});
