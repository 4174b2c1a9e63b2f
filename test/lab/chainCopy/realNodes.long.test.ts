import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ensurePackagedImage } from "../../../lab/images/packagedImage";
import type { Lab, LabHost } from "../../../lab/lab";
import { RealNetwork } from "../../../lab/real/realNetwork";
import { giveRealNode, setUpRealNode } from "../../../lab/real/realNode";
import type { Run } from "../../../lab/stack/engineRun";
import { LabStack } from "../../../lab/stack/stack";
import { journeyIn } from "../../recordIn";
import { realOnly } from "../contracts/contract";
import { expectSuccess, onHost, testLab } from "../fixture";

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
        sync: { references, from: "oldHost", copyMbps: 0.4, oldHost: { address: old.address, hostKey: old.hostKey } },
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

  const call = async (rpc: string, method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const request = ["-sf", "-H", "content-type: application/json", "-d", body, rpc];
    return JSON.parse((await lab.run(["curl", ...request])).stdout).result as Record<string, unknown>;
  };
  /** Separates a host's node from its peers, or reconnects it; ssh keeps working. */
  const keepApart = async (host: LabHost, apart: boolean) => {
    const rule = (protocol: string, side: string) =>
      `ip rule ${apart ? "add" : "del"} ipproto ${protocol} ${side} 35995 blackhole`;
    const rules = ["tcp", "udp"].flatMap((protocol) => ["sport", "dport"].map((side) => rule(protocol, side)));
    await onHost(host, rules.join(" && "));
  };

  const momentumOfOld = async () =>
    Number((await call(network.node("p1").rpc, "ledger.getFrontierMomentum", [])).height);
  const left =
    "ls -A /root/.znn | grep pillar-host; ls /var/lib/pillar-host 2> /dev/null | grep chain-copy; grep -l chain-copy /root/.ssh/authorized_keys; true";
  const said = (run: Run, line: RegExp) => run.hears((output) => line.exec(output)?.[0], String(line), 300);
  /** Waits until the first bytes travel. */
  const travels = async (run: Run) => {
    await said(run, /chain copy: snapshot of/);
    await onHost(fresh, "timeout 120 sh -c 'until ls /root/.znn/.pillar-host-arriving/nom; do sleep 0.2; done'");
  };

  test("the chain is long enough for a slow copy", async () => {
    await vi.waitFor(async () => expect(await momentumOfOld()).toBeGreaterThan(20), {
      timeout: 240_000,
      interval: 2000,
    });
    await keepApart(fresh, true);
  });

  test.each<[string, (run: Run) => Promise<unknown>]>([
    ["while it looks at both hosts", (run) => said(run, /chain copy: reads nom/)],
    ["with its snapshot on the old host", (run) => said(run, /chain copy: snapshot of/)],
    ["on the way", travels],
    ["while what arrived is hashed", (run) => said(run, /chain copy: hashing the copied files/)],
    ["while the copy takes its place", (run) => said(run, /and starts with the copy/)],
  ])("a run that is killed %s leaves both nodes running", async (_when, until) => {
    const process = await onHost(old, "systemctl show -p MainPID --value go-node");
    const run = await stack.begin();
    await until(run);
    await run.kill();
    expect(await onHost(old, "systemctl show -p MainPID --value go-node")).toBe(process);
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
    expect(await onHost(old, left)).toBe("");
    expect(await onHost(fresh, left)).toBe("");
    const key = (host: LabHost) => onHost(host, "sha256sum < /root/.znn/network-private-key");
    expect(await key(old)).not.toBe(await key(fresh));
    const copied = journeyIn(join(lab.dir, "backups"), pillar).find(({ event }) => event === "chainCopied");
    expect(copied?.details).toMatchObject({ from: old.address });
  });

  test("its hashes are the producer's, and nothing below the copy was synced from peers", async () => {
    const own = await call(network.node("s1").rpc, "ledger.getMomentumsByHeight", [1, 100]);
    const theirs = await call(network.node("p1").rpc, "ledger.getMomentumsByHeight", [1, 100]);
    const hashes = ({ list }: Record<string, unknown>) => (list as { hash: string }[]).map(({ hash }) => hash);
    const count = hashes(own).length;
    expect(count).toBeGreaterThan(20);
    expect(hashes(own)).toEqual(hashes(theirs).slice(0, count));
  });

  test("the next run copies nothing", async () => {
    const output = await expectSuccess(stack.up());
    expect(output).not.toContain("chain copy:");
  });
});
