import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { RealNetwork } from "../../../lab/real/realNetwork.ts";
import { setUpRealNode } from "../../../lab/real/realNode.ts";
import { neededReal } from "../../../lab/real/realPrograms.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { realOnly } from "../contracts/contract.ts";
import { expectFailure, expectSuccess, onHost, serveProgram, testLab } from "../fixture.ts";

const clocks = { blockTime: 2, tickSlots: 10, epoch: 120, rewardDelay: 20, updateMomentums: 5 };
const pillar = "Pillar-2";

// Each test continues from the previous one.
realOnly("the node's upgrade", ["znnd", "node-world/znnd-fast-next", "node-world/znndev"], () => {
  let lab: Lab;
  let network: RealNetwork;
  let host: LabHost;
  let stack: LabStack;

  const configure = async (version: string, program: "znnd" | "node-world/znnd-fast-next") => {
    const release = await serveProgram(lab, version, await readFile(await neededReal(program)));
    await stack.configure(file({ node: { release } }), {
      "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8"),
    });
  };
  const file = (changes: StackFile): StackFile => ({
    pillar: { name: pillar },
    lifecycle: "adopted",
    host: { provider: "existing", address: host.address, hostKey: host.hostKey },
    sync: { references: [network.node("p1").rpc, network.node("p3").rpc] },
    network: { epoch: `${clocks.epoch}s`, momentum: `${clocks.blockTime}s`, tickMomentums: clocks.tickSlots },
    orchestrator: { backup: { directory: join(lab.dir, "backups") } },
    ...changes,
  });

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("old", ensurePackagedImage);
    network = await RealNetwork.create(lab, { clocks, hosts: { p2: host.address }, spares: 7, minPeers: 8 });
    await network.start(...network.nodes.map(({ name }) => name).filter((name) => name !== "p2"));
    await setUpRealNode(network, "p2", host);
    stack = await LabStack.create(lab, "prod", file({}), {
      "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8"),
    });
  });
  afterAll(async () => {
    await stack?.endRuns();
    await lab?.down();
  });

  async function ask<T>(rpc: string, method: string, params: readonly unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { stdout } = await lab.run(["curl", "-sf", "-H", "content-type: application/json", "-d", body, rpc]);
    return JSON.parse(stdout).result as T;
  }
  const readRunning = () =>
    onHost(host, "/usr/local/bin/go-node version | sed -n 's/^version: //p'; pgrep -cx go-node");
  /** Waits until the chain has another momentum of the host. */
  async function expectMomentum(): Promise<void> {
    const own = network.node("p2").producer;
    const { height } = await ask<{ height: number }>(network.node("p1").rpc, "ledger.getFrontierMomentum", []);
    const later = async () => {
      const { list } = await ask<{ list: readonly { producer: string }[] }>(
        network.node("p1").rpc,
        "ledger.getMomentumsByHeight",
        [height + 1, 500],
      );
      expect(list.map(({ producer }) => producer)).toContain(own);
    };
    await vi.waitFor(later, { timeout: 120_000, interval: 1000 });
  }

  test("a node that produces and needs eight peers is adopted", async () => {
    const state = async () => {
      const { state } = await ask<{ state: number }>(network.node("p2").rpc, "stats.syncInfo", []);
      expect(state).toBe(2);
    };
    await vi.waitFor(state, { timeout: 240_000, interval: 2000 });
    const { numPeers } = await ask<{ numPeers: number }>(network.node("p2").rpc, "stats.networkInfo", []);
    expect(numPeers).toBeGreaterThanOrEqual(8);
    await expectMomentum();
    await expectSuccess(stack.up());
  });

  test("is upgraded while it has no slot, waits for its peers, and produces", async () => {
    await configure("v0.0.9", "node-world/znnd-fast-next");
    const output = await expectSuccess(stack.up());
    expect(output).toMatch(/node: v0\.0\.9 runs now instead of v0\.0\.8; the node was down for \d+\.\d s/);
    expect(await readRunning()).toBe("v0.0.9\n1");
    await expectMomentum();
  });

  // Its clocks are the main network's, so it takes no momentum and keeps no peer: after ten minutes it is not good.
  test("rolls back a version that finds no peers, and produces again", { timeout: 900_000 }, async () => {
    await configure("v0.0.8", "znnd");
    const output = await expectFailure(stack.up());
    expect(output).toContain("v0.0.8 of the node is not good, and v0.0.9 runs again");
    expect(await readRunning()).toBe("v0.0.9\n1");
    await expectMomentum();
  });
});
