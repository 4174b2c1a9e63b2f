import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { RealNetwork } from "../../../lab/real/realNetwork.ts";
import { giveRealNode, setUpRealNode } from "../../../lab/real/realNode.ts";
import type { Run } from "../../../lab/stack/engineRun.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import { journeyIn } from "../../recordIn.ts";
import { realOnly } from "../contracts/contract.ts";
import { expectSuccess, onHost, testLab } from "../fixture.ts";
import { copyFrom, leftOn, nodePid } from "./copyStage.ts";

const clocks = { blockTime: 2, epoch: 120, rewardDelay: 20, updateMomentums: 5 };
const pillar = "Pillar-2";

// Each test continues from the previous one.
realOnly("the old host's chain for the new host's node", ["node-world/znnd-fast", "node-world/znndev"], () => {
  let lab: Lab;
  let network: RealNetwork;
  let old: LabHost;
  let fresh: LabHost;
  let stack: LabStack;

  beforeAll(async () => {
    lab = await testLab();
    old = await lab.addHost("old", ensurePackagedImage);
    fresh = await lab.addHost("fresh", ensurePackagedImage);
    network = await RealNetwork.create(lab, { clocks, hosts: { p2: old.address, s1: fresh.address } });
    await network.start("p1", "p3");
    await setUpRealNode(network, "p2", old);
    await giveRealNode(network, "s1", fresh);
    await lab.chain("PATCH", "/nodes/fresh", { buildSeconds: 1, buildLines: 10 });
    const references = [network.node("p1").rpc, network.node("p3").rpc];
    stack = await LabStack.create(
      lab,
      "prod-2",
      {
        pillar: { name: pillar },
        host: {
          provider: "existing",
          address: fresh.address,
          hostKey: fresh.hostKey,
          minimums: { cores: 1, diskGb: 1 },
        },
        controller: { release: { url: lab.releaseUrl() } },
        // Slow enough to be cut off on the way.
        ...copyFrom(old, { references, copyMbps: 0.4 }),
        network: { epoch: `${clocks.epoch}s`, momentum: `${clocks.blockTime}s`, tickMomentums: 30 },
        orchestrator: { backup: { directory: join(lab.dir, "backups") } },
      },
      { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") },
    );
  });
  afterAll(async () => {
    await stack?.endRuns();
    await lab?.down();
  });

  /** Separates a host's node from its peers, or reconnects it; ssh keeps working. */
  const keepApart = async (host: LabHost, apart: boolean) => {
    const rule = (protocol: string, side: string) =>
      `ip rule ${apart ? "add" : "del"} ipproto ${protocol} ${side} 35995 blackhole`;
    const rules = ["tcp", "udp"].flatMap((protocol) => ["sport", "dport"].map((side) => rule(protocol, side)));
    await onHost(host, rules.join(" && "));
  };

  const said = (run: Run, line: RegExp) => run.hears((output) => line.exec(output)?.[0], String(line), 300);
  /** Waits until the first bytes travel. */
  const travels = async (run: Run) => {
    await said(run, /chain copy: snapshot of/);
    await onHost(fresh, "timeout 120 sh -c 'until ls /root/.znn/.pillar-host-arriving/nom; do sleep 0.2; done'");
  };

  test("the chain is long enough for a slow copy", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ledger.getFrontierMomentum", params: [] });
    const ask = ["curl", "-sf", "-H", "content-type: application/json", "-d", body, network.node("p1").rpc];
    const height = async () => Number(JSON.parse((await lab.run(ask)).stdout).result.height);
    await expect.poll(height, { timeout: 240_000, interval: 2000 }).toBeGreaterThan(20);
    await keepApart(fresh, true);
  });

  test.each<[string, (run: Run) => Promise<unknown>]>([
    ["while it looks at both hosts", (run) => said(run, /chain copy: reads nom/)],
    ["with its snapshot on the old host", (run) => said(run, /chain copy: snapshot of/)],
    ["on the way", travels],
    ["while what arrived is hashed", (run) => said(run, /chain copy: hashing the copied files/)],
    ["while the copy takes its place", (run) => said(run, /and starts with the copy/)],
  ])("a run that is killed %s leaves both nodes running", async (_when, until) => {
    const process = await nodePid(old);
    const run = await stack.begin();
    await until(run);
    await run.kill();
    expect(await nodePid(old)).toBe(process);
    await expect.poll(() => onHost(fresh, "systemctl is-active go-node; true")).toBe("active");
    await stack.cancel();
  });

  test("the next run continues over a reboot of the old host, and the new node uses its chain", async () => {
    const run = await stack.begin();
    await travels(run);
    await sleep(4000);
    await old.reboot();
    await said(run, /and starts with the copy/);
    await keepApart(fresh, false);
    const output = await expectSuccess(run.end());
    expect(output).toMatch(/chain copy: reads nom, consensus(, cache)? in \/root\/\.znn of/);
    expect(output).toMatch(
      /chain copy: the node runs with the copy and added momentum \d+, the same as the old host's/,
    );
    for (const host of [old, fresh]) expect(await leftOn(host)).toBe("");
    const key = (host: LabHost) => onHost(host, "sha256sum < /root/.znn/network-private-key");
    expect(await key(old)).not.toBe(await key(fresh));
    const copied = journeyIn(join(lab.dir, "backups"), pillar).find(({ event }) => event === "chainCopied");
    expect(copied?.details).toMatchObject({ from: old.address });
  });
});
