import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Chain, type OrchestratorSettingsPatch, type ServedChain, serveChain } from "../../lab/doubles/chain";
import { type ExampleDir, exampleDir } from "../../lab/doubles/orchestrator/exampleDir";
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
  // The paths are this test's; the example's are an operator's.
  Object.assign(changed, { DataPath: dir });
  changed.TssConfig.BaseDir = join(dir, "tss");
  changed.Networks.Zenon = { Urls: [`ws://127.0.0.1:${(node.address() as AddressInfo).port}`] };
  writeFileSync(join(dir, "config.json"), JSON.stringify(changed));
}

async function start(name = "host1") {
  const orchestrator = new OrchestratorDouble({
    dir,
    ports: { rpc: 0, p2p: 0 },
    chainUrl: served.url,
    name,
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
  it("fails while another process holds the lock, and not after its end", async () => {
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

describe("a key generation", () => {
  it("is its state again after a stop within it", async () => {
    fill();
    const orchestrator = await start();
    served.chain.orchestrators.generateKey("host1");
    await soon(() => expect(lines.join("\n")).toContain("Started ECDSA Keygen"));
    expect(config().GlobalState).toBe(0);
    await orchestrator.stop();
    expect(config().GlobalState).toBe(1);
    expect((await call(await start(), "getStatus"))[1]).toMatchObject({ state: 1 });
    expect(exits).toEqual([0]);
  });
});
