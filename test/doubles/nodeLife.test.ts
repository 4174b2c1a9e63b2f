import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Chain, type ServedChain, serveChain } from "../../lab/doubles/chain";
import { NodeDouble } from "../../lab/doubles/node/node";

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
    dataDir,
    listen: "127.0.0.1",
    ports,
    chainUrl: served.url,
    name: "host1",
    pollMs: 20,
    print: (line) => lines.push(line),
    exit: (code) => exits.push(code),
  });
  nodes.push(node);
  return { node, started: node.start() };
}

describe("an end", () => {
  const torn = () => existsSync(join(dataDir, "nom", "torn"));

  it("closes the database if it is requested", async () => {
    const first = start();
    await first.started;
    await first.node.end();
    expect(exits).toEqual([0]);
    await start().started;
    expect(torn()).toBe(false);
  });

  it("leaves the database open if it is unexpected, as the next start finds", async () => {
    const first = start();
    await first.started;
    await first.node.stop();
    expect(torn()).toBe(false);
    await start().started;
    expect(torn()).toBe(true);
  });
});
