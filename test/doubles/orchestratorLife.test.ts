import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Chain, type OrchestratorSettingsPatch, type ServedChain, serveChain } from "../../lab/doubles/chain";
import { orchestratorBuild } from "../../lab/doubles/orchestrator/build";
import { type ExampleDir, exampleDir } from "../../lab/doubles/orchestrator/exampleDir";
import { createKeyShare, keyShareName, nextPublicKey } from "../../lab/doubles/orchestrator/keyShare";
import { OrchestratorDouble } from "../../lab/doubles/orchestrator/orchestrator";
import type { OrchestratorConfig } from "../../lab/doubles/orchestrator/stateDir";
import { soon } from "../soon";

let served: ServedChain;
let node: Server;
let nodeState: number;
let dir: string;
let example: ExampleDir;
let lines: string[];
let exits: number[];
const running: OrchestratorDouble[] = [];

beforeEach(async () => {
  served = await serveChain({ host: "127.0.0.1", port: 0, chain: new Chain() });
  set({ syncPollMs: 20, stopMs: 50 });
  nodeState = 2;
  node = createServer(async (request, response) => {
    const { method } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { method: string };
    const isBridge = method === "embedded.bridge.getBridgeInfo";
    response.end(JSON.stringify({ result: isBridge ? served.chain.bridge.view() : { state: nodeState } }));
  });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  dir = mkdtempSync(join(tmpdir(), "orchestrator-"));
  lines = [];
  exits = [];
});

afterEach(async () => {
  vi.useRealTimers();
  for (const orchestrator of running.splice(0)) orchestrator.kill();
  node.close().closeAllConnections();
  await served.close();
  rmSync(dir, { recursive: true });
});

const set = (patch: OrchestratorSettingsPatch) => served.chain.orchestrators.patch("host1", patch);
const text = (path: string) => readFileSync(join(dir, path), "utf8");
const config = () => JSON.parse(text("config.json")) as OrchestratorConfig;
const truth = () => served.chain.signers.truth();

/** Fills the directory; the configured node is this test's. */
function fill(options: Parameters<typeof exampleDir>[0] = {}) {
  example = exampleDir(options);
  served.chain.bridge.patch({ compressedTssECDSAPubKey: example.bridgeKey });
  for (const [path, { mode, text }] of Object.entries(example.files)) {
    const target = join(dir, path);
    mkdirSync(text === undefined ? target : dirname(target), { recursive: true });
    if (text !== undefined) writeFileSync(target, text);
    chmodSync(target, mode);
  }
  const changed = config();
  // As it lies in this test's directory; the example is an operator's.
  Object.assign(changed, { DataPath: dir });
  changed.TssConfig.BaseDir = join(dir, "tss");
  changed.Networks.Zenon = { Urls: [`ws://127.0.0.1:${(node.address() as AddressInfo).port}`] };
  writeFileSync(join(dir, "config.json"), JSON.stringify(changed));
}

async function start(name = "host1", version = "v0.0.9a") {
  const orchestrator = new OrchestratorDouble({
    ...{ dir, build: orchestratorBuild(version), ports: { rpc: 0, p2p: 0 }, chainUrl: served.url, name },
    print: (line) => lines.push(line),
    exit: (code) => exits.push(code),
  });
  running.push(orchestrator);
  await orchestrator.start();
  return orchestrator;
}

async function call(orchestrator: OrchestratorDouble, method: string) {
  const response = await fetch(orchestrator.rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ method, params: [] }),
  });
  return [response.status, ((await response.json()) as { result: unknown }).result] as const;
}

describe("a start", () => {
  it("waits for its node, then signs and answers with the identity of its producer key", async () => {
    fill();
    nodeState = 1;
    const started = start();
    await soon(() => expect(lines.join("\n")).toContain("node is syncing, will wait for it to finish"));
    expect(truth().alive).toEqual([]);
    nodeState = 2;
    const orchestrator = await started;
    served.chain.patchPillar("Anvil", { producerAddress: example.producer });
    expect((await call(orchestrator, "getIdentity"))[1]).toMatchObject({
      ...{ producer: example.producer, pillarName: "Anvil", tssPeerId: example.identity },
      evmAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    });
    expect((await call(orchestrator, "getBuildInfo"))[1]).toEqual(orchestratorBuild("v0.0.9a"));
    expect(truth().alive).toMatchObject([{ identity: example.identity, host: "host1", hasShare: true }]);
  });

  it("goes on waiting when it is told, and has no RPC in an old build", async () => {
    fill();
    set({ waits: true });
    const started = start("host1", "v0.0.7");
    await soon(() => expect(lines.join("\n")).toContain("will wait"));
    set({ waits: false });
    await expect(call(await started, "getBuildInfo")).rejects.toThrow("fetch failed");
  });

  it("does not wait for a node that is down, nor for another chain's, but for those that the bridge does not have", async () => {
    fill();
    node.close().closeAllConnections();
    await start();
    expect(exits).toEqual([1]);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/\tINFO\tapp\/manager\.go:37\tfailed to create the node\t{"reason":/),
      expect.stringMatching(/^dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/),
    ]);
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
    const away = { Urls: ["ws://127.0.0.1:1"] };
    const Zenon = { Urls: [`ws://127.0.0.1:${(node.address() as AddressInfo).port}`] };
    rewrite((it) => ({ ...it, Networks: { ...it.Networks, Zenon, Ethereum: away } }));
    await start();
    expect(lines.at(-1)).toBe("dial tcp 127.0.0.1:1: connect: connection refused");
    rewrite((it) => ({ ...it, Networks: { ...it.Networks, Ethereum: { Urls: ["ws://eth.example"] }, BSC: away } }));
    await start();
    expect([exits, truth().alive.length]).toEqual([[1, 1], 1]);
  });

  it("finds no share in another directory than BaseDir, and lives on as live", async () => {
    fill();
    rewrite((it) => ({ ...it, TssConfig: { ...it.TssConfig, BaseDir: join(dir, "elsewhere") } }));
    const orchestrator = await start();
    expect((await call(orchestrator, "getStatus"))[1]).toMatchObject({ stateName: "LiveState" });
    expect([config().TssConfig.PublicKey, truth().alive[0]?.hasShare]).toEqual(["", false]);
  });

  it("does not start where DataPath leads to a directory that is gone", async () => {
    fill();
    rewrite((it) => ({ ...it, DataPath: join(dir, "gone") }));
    await start();
    expect([exits, lines.at(-1)]).toEqual([[1], expect.stringContaining(`open '${join(dir, "gone")}/config.json'`)]);
  });

  it("prints its pass phrase, and harmless lines that look like trouble", async () => {
    fill({ passphrase: 'p"w<1' });
    await start();
    const journal = lines.join("\n");
    expect(journal).toContain('"ProducerKeyFilePassphrase": "p\\"w\\u003c1"');
    expect(journal).toMatch(/\tapp\/config\.go:32\tusing orchestrator config\{.* producer p"w<1 0 /);
    expect(journal).toMatch(/\tERROR\tnetwork\/evm\.go:371\t.*\n.*Start\.func1\.1\n\torchestrator\/network/);
  });

  it("takes the share of the bridge's key, though a newer one lies there; without that one it has none", async () => {
    fill();
    const other = nextPublicKey("another");
    const share = JSON.stringify(createKeyShare(example.identity, other));
    writeFileSync(join(dir, "tss", keyShareName(other)), share);
    const orchestrator = await start();
    expect(config().TssConfig.PublicKey).toBe(example.bridgeKey);
    await orchestrator.stop();
    served.chain.bridge.patch({ compressedTssECDSAPubKey: other });
    const next = await start();
    expect(config().TssConfig.PublicKey).toBe(other);
    await next.stop();
    served.chain.bridge.patch({ compressedTssECDSAPubKey: nextPublicKey("a third") });
    await start();
    expect([config().TssConfig.PublicKey, truth().alive[0]?.hasShare]).toEqual(["", false]);
  });

  it("runs without a key share, but is no signer", async () => {
    fill({ keyShare: false });
    await start();
    expect(truth().alive).toMatchObject([{ hasShare: false }]);
  });

  it("writes a configuration into an empty directory and ends", async () => {
    await start();
    expect(exits).toEqual([1]);
    expect(config()).toMatchObject({ ProducerKeyFileName: "producer", TssConfig: { Port: 55055, PublicKey: "" } });
    expect(readdirSync(dir).sort()).toEqual([".lock", "config.json", "events", "logs", "queues"]);
  });

  it.each([
    ["the key share is cut", () => spoil((share) => share.slice(0, -20))],
    ["one digit of the secret is another", () => spoil((share) => share.replace(/"Xi":"./, '"Xi":"x'))],
    ["the key store is missing", () => rmSync(join(dir, "producer"))],
    [
      "the key store is a folder",
      () => {
        rmSync(join(dir, "producer"));
        mkdirSync(join(dir, "producer"));
      },
    ],
    ["the pass phrase is wrong", () => rewrite((it) => ({ ...it, ProducerKeyFilePassphrase: "another" }))],
    ["the configuration is no JSON", () => writeFileSync(join(dir, "config.json"), text("config.json").slice(0, 99))],
  ])("fails when %s", async (_, spoilIt) => {
    fill();
    spoilIt();
    await start();
    expect(exits).toEqual([1]);
    expect(lines.at(-2)).toMatch(/\tINFO\tapp\/manager\.go:37\tfailed to create the node\t{"reason":/);
    expect(truth().alive).toEqual([]);
  });

  const spoil = (change: (share: string) => string) => {
    const file = example.keyShareFile ?? "";
    writeFileSync(join(dir, file), change(text(file)));
  };
  const rewrite = (change: (config: OrchestratorConfig) => OrchestratorConfig) =>
    writeFileSync(join(dir, "config.json"), JSON.stringify(change(config())));

  it("fails while another one holds the lock, and not after its end", async () => {
    fill();
    const first = await start();
    await start("host2");
    expect(exits).toEqual([1]);
    expect(lines.at(-1)).toContain("unable to acquire file-lock");
    first.kill();
    await start("host2");
    expect(exits).toEqual([1]);
    expect(truth().doubles).toEqual([]);
  });
});

describe("a running orchestrator", () => {
  it("rewrites its configuration at its start and on its stop", async () => {
    fill();
    const orchestrator = await start();
    expect(config().Rewrites).toBe(2);
    await soon(() => expect(text("events/000001.log").split("\n").length).toBeGreaterThan(2));
    await orchestrator.stop();
    expect(exits).toEqual([0]);
    expect(config().Rewrites).toBe(3);
    expect(truth().identities[example.identity]?.intervals).toMatchObject([{ host: "host1", stopped: true }]);
  });

  it("does not notice what is changed on its disk", async () => {
    fill();
    const orchestrator = await start();
    rmSync(join(dir, "tss"), { recursive: true });
    writeFileSync(join(dir, "config.json"), "{}");
    expect((await call(orchestrator, "getStatus"))[1]).toMatchObject({
      ...{ state: 0, stateName: "LiveState", peersLen: 11 },
      networks: { Ethereum: { wrapsToSign: 0 }, "BNB Chain": { unwrapsToSign: 0 } },
    });
  });

  it("tells for 25 seconds what it once told of its status", async () => {
    fill();
    const orchestrator = await start();
    expect((await call(orchestrator, "getStatus"))[1]).toMatchObject({ state: 0, peersLen: 11 });
    set({ state: 2, peers: 3 });
    await sleep(600);
    expect((await call(orchestrator, "getStatus"))[1]).toMatchObject({ state: 0, peersLen: 11 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25_100 });
    expect((await call(orchestrator, "getStatus"))[1]).toMatchObject({ state: 2, peersLen: 3 });
  });

  it("is halted with its bridge, is so after its stop, and live when the bridge is", async () => {
    fill();
    set({ halted: true });
    const orchestrator = await start();
    await sleep(400);
    expect((await call(orchestrator, "getStatus"))[1]).toMatchObject({ state: 2, stateName: "HaltedState" });
    await orchestrator.stop();
    expect(config().GlobalState).toBe(2);
    set({ halted: false });
    const again = await start();
    await sleep(400);
    expect((await call(again, "getStatus"))[1]).toMatchObject({ state: 0 });
  });

  it("ends in order where it loses its node", async () => {
    fill();
    await start();
    node.close().closeAllConnections();
    await soon(() => expect(exits).toEqual([0]));
    expect(lines.join("\n")).toMatch(/\tDEBUG\tnetwork\/znn\.go:793\tlisten mom err: /);
  });

  it("signs during its stop, and for ever when that hangs", async () => {
    fill();
    const orchestrator = await start();
    set({ stopHangs: true });
    await orchestrator.stop();
    const before = served.chain.signers.truth().identities[example.identity]?.intervals[0]?.until ?? 0;
    await soon(() => expect(truth().identities[example.identity]?.intervals[0]?.until).toBeGreaterThan(before));
    expect(exits).toEqual([]);
  });

  it("closes its RPC on command and goes on signing", async () => {
    fill();
    const orchestrator = await start();
    set({ rpcDown: true });
    await soon(() => expect(call(orchestrator, "getStatus")).rejects.toThrow("fetch failed"));
    expect(truth().alive).toHaveLength(1);
  });

  it("panics as long after its start as it is told", async () => {
    fill();
    set({ crashAfterMs: 50 });
    await start();
    await soon(() => expect(exits).toEqual([2]));
  });
});

describe("a key generation", () => {
  const key = () => config().TssConfig.PublicKey;

  it("shows while it lasts, and leaves another share", async () => {
    fill();
    const orchestrator = await start();
    const old = key();
    served.chain.orchestrators.generateKey("host1", 400);
    await soon(() => expect(lines.join("\n")).toContain("Started ECDSA Keygen"));
    expect((await call(orchestrator, "getStatus"))[1]).toMatchObject({ state: 1, stateName: "KeyGenState" });
    await soon(() => expect(key()).not.toBe(old));
    expect(config().GlobalState).toBe(0);
    expect(existsSync(join(dir, example.keyShareFile ?? ""))).toBe(true);
    expect(existsSync(join(dir, "tss", `localstate-${Buffer.from(key(), "base64").toString("hex")}.json`))).toBe(true);
    await soon(() => expect(served.chain.bridge.view().compressedTssECDSAPubKey).toBe(key()));
    const next = key();
    await orchestrator.stop();
    await start();
    expect([exits, key()]).toEqual([[0], next]);
  });

  it("is what it starts in again when it is stopped within it, with the old share only", async () => {
    fill();
    const orchestrator = await start();
    served.chain.orchestrators.generateKey("host1", 10_000);
    await soon(() => expect(lines.join("\n")).toContain("Started ECDSA Keygen"));
    expect(config().GlobalState).toBe(0);
    await orchestrator.stop();
    expect(config().GlobalState).toBe(1);
    expect(readdirSync(join(dir, "tss")).filter((name) => name.startsWith("localstate-"))).toHaveLength(1);
    expect((await call(await start(), "getStatus"))[1]).toMatchObject({ state: 1 });
    expect(exits).toEqual([0]);
  });
});
