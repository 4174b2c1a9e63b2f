import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addressForm } from "../../lab/doubles/address";
import { Chain, type NodeSettingsPatch, type ServedChain, serveChain } from "../../lab/doubles/chain";
import { createKeyStore } from "../../lab/doubles/keyStore";
import { NodeDouble } from "../../lab/doubles/node/node";
import { soon } from "../soon";

let served: ServedChain;
let dataDir: string;
let lines: string[];
let exits: number[];
const nodes: NodeDouble[] = [];

beforeEach(async () => {
  const chain = new Chain({ height: 1000 });
  chain.patchTruth({ defaults: { startRefusedMs: 0, connectMs: 0, behind: 100, rate: 100_000 } });
  served = await serveChain({ host: "127.0.0.1", port: 0, chain });
  dataDir = mkdtempSync(join(tmpdir(), "node-life-"));
  lines = [];
  exits = [];
});

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  await served.close();
  rmSync(dataDir, { recursive: true });
});

function start(ports = { rpc: 0, ws: 0, p2p: 0 }) {
  const node = new NodeDouble({
    ...{ dataDir, listen: "127.0.0.1", ports, chainUrl: served.url, name: "host1", pollMs: 20 },
    print: (line) => lines.push(line),
    exit: (code) => exits.push(code),
  });
  nodes.push(node);
  return { node, started: node.start() };
}

const set = (patch: NodeSettingsPatch) => served.chain.patchNode("host1", patch);

async function syncInfo(node: NodeDouble, timeoutMs = 2000): Promise<unknown> {
  const response = await fetch(node.rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"stats.syncInfo","params":[]}',
    signal: AbortSignal.timeout(timeoutMs),
  });
  return ((await response.json()) as { result: unknown }).result;
}

const configure = (password: string) => {
  const store = createKeyStore(password);
  mkdirSync(join(dataDir, "wallet"), { recursive: true });
  writeFileSync(join(dataDir, "wallet", "producer"), JSON.stringify(store));
  const Producer = { Index: 0, KeyFilePath: "producer", Password: password, Address: store.baseAddress };
  writeFileSync(join(dataDir, "config.json"), JSON.stringify({ Producer }));
  return store.baseAddress;
};

describe("a start", () => {
  it("refuses connections for as long as it is told", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    set({ startRefusedMs: 300 });
    const { node, started } = start({ rpc: port, ws: 0, p2p: 0 });
    await new Promise((resolve) => setTimeout(resolve, 150));
    await expect(syncInfo(node)).rejects.toThrow("fetch failed");
    await started;
    expect(await syncInfo(node)).toMatchObject({ targetHeight: 1000 });
  });

  it("fails like Go when its port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    await start({ rpc: port, ws: 0, p2p: 0 }).started;
    await new Promise((resolve) => other.close(resolve));
    expect(exits).toEqual([1]);
    expect(lines.at(-1)).toBe(
      `Failed to start the node; reason: listen tcp 127.0.0.1:${port}: bind: address already in use`,
    );
  });

  it("prints its configuration with the producer's password, and decoy addresses", async () => {
    const address = configure('p"w<1');
    await start().started;
    expect(lines.join("\n")).toContain(
      `Producer:&{Address:${address} Index:0 KeyFilePath:producer Password:p"w<1} RPC:`,
    );
    const decoys = lines.slice(2).flatMap((line) => line.match(/z1q\w{37}/g) ?? []);
    expect(decoys.length).toBeGreaterThan(0);
    for (const decoy of decoys) expect(decoy).toMatch(addressForm);
    expect(decoys).not.toContain(address);
  });

  it.each([
    ["the key store is missing", () => rmSync(join(dataDir, "wallet", "producer"))],
    ["the configuration is no JSON", () => writeFileSync(join(dataDir, "config.json"), '{"Producer":')],
    [
      "the password is another one",
      () => {
        const config = readFileSync(join(dataDir, "config.json"), "utf8");
        writeFileSync(join(dataDir, "config.json"), config.replace("secret", "other"));
      },
    ],
  ])("fails when %s", async (_, spoil) => {
    configure("secret");
    spoil();
    await start().started;
    expect(exits).toEqual([1]);
  });

  it("continues at the stored height, with the same identity", async () => {
    set({ rate: 0, behind: 400 });
    const first = start();
    await first.started;
    await soon(() => expect(readFileSync(join(dataDir, "nom", "000003.log"), "utf8")).toBe("600"));
    await soon(() => expect(served.chain.reportsOf("host1")).toHaveLength(1));
    await first.node.stop();
    set({ behind: 5 });
    const second = start();
    await second.started;
    expect(await syncInfo(second.node)).toEqual({ state: 1, currentHeight: 600, targetHeight: 1000 });
    await soon(() => expect(served.chain.reportsOf("host1")).toHaveLength(2));
    const identities = served.chain.reportsOf("host1").map(({ identity }) => identity);
    expect(identities[0]).toMatch(/^[0-9a-f]{128}$/);
    expect(identities[1]).toBe(identities[0]);
  });
});

describe("an end", () => {
  const torn = () => existsSync(join(dataDir, "nom", "torn"));

  it("that is asked for closes the database", async () => {
    const first = start();
    await first.started;
    await first.node.end();
    expect(exits).toEqual([0]);
    await start().started;
    expect(torn()).toBe(false);
  });

  it("that nobody asked for leaves it open, and the next start finds it so", async () => {
    const first = start();
    await first.started;
    await first.node.stop();
    expect(torn()).toBe(false);
    await start().started;
    expect(torn()).toBe(true);
  });
});

describe("a running node", () => {
  it("tells the chain where it is and with which producer", async () => {
    const address = configure("secret");
    await start().started;
    await soon(() => {
      const last = served.chain.reportsOf("host1").at(-1);
      expect(last).toMatchObject({ height: 1000, state: 2, synced: true, producerAddress: address });
    });
  });

  it("accepts connections on its other two ports", async () => {
    const [ws, p2p] = [await freePort(), await freePort()];
    await start({ rpc: 0, ws, p2p }).started;
    for (const port of [ws, p2p]) {
      const connected = new Promise((resolve, reject) => {
        const socket = connect(port, "127.0.0.1", () => socket.destroy()).on("close", resolve);
        socket.on("error", reject);
      });
      await expect(connected, String(port)).resolves.toBe(false);
    }
  });

  it("closes its RPC on command and opens it again, without a restart", async () => {
    const { node, started } = start();
    await started;
    set({ rpcDown: true });
    await soon(() => expect(syncInfo(node)).rejects.toThrow("fetch failed"));
    set({ rpcDown: false });
    await soon(() => expect(syncInfo(node)).resolves.toMatchObject({ state: 2 }));
    expect(exits).toEqual([]);
  });

  it("never answers when frozen, and is late when slow", async () => {
    const { node, started } = start();
    await started;
    set({ freeze: true });
    await soon(() => expect(syncInfo(node, 50)).rejects.toThrow(/timeout/));
    const waiting = syncInfo(node);
    set({ freeze: false, slowMs: 120 });
    expect(await waiting).toMatchObject({ state: 2 });
    const before = Date.now();
    await syncInfo(node);
    expect(Date.now() - before).toBeGreaterThanOrEqual(115);
  });

  it("answers what it is told, or half of an answer", async () => {
    const { node, started } = start();
    await started;
    set({ rawAnswer: { status: 429, body: "slow down" } });
    await soon(async () => {
      const response = await fetch(node.rpcUrl);
      expect([response.status, await response.text()]).toEqual([429, "slow down"]);
    });
    set({ rawAnswer: null, cutAnswer: true });
    await soon(() => expect(syncInfo(node)).rejects.toThrow("terminated"));
  });

  it("panics as long after each start as it is told", async () => {
    set({ crashAfterMs: 50 });
    await start().started;
    expect(exits).toEqual([]);
    await soon(() => expect(exits).toEqual([2]));
    expect(lines.join("\n")).toContain("panic: runtime error");
    expect(existsSync(join(dataDir, "network-private-key"))).toBe(true);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
