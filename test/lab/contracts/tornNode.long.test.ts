import { execa } from "execa";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { scriptOf } from "../../../core/steps/step";
import type { Lab, LabHost } from "../../../lab/lab";
import { ensurePackagedImage } from "../../../lab/packagedImage";
import { RealNetwork } from "../../../lab/realNetwork";
import { setUpRealNode } from "../../../lab/realNode";
import type { LabStack } from "../../../lab/stack";
import { cli } from "../cli/fixture";
import { onHost, testLab, testStack } from "../fixture";
import { realOnly } from "./contract";
import { endInTheMiddle } from "./tornNode";

// A momentum a second, and in each of them as much as a contract's update writes. Each test goes on where the one before it
// ended.
const clocks = { blockTime: 1, epoch: 120, rewardDelay: 20, updateMomentums: 1 };
/** Of a chain of so many momentums a node takes in what there is at once. */
const chain = 120;

realOnly("a node's torn database", ["node-world/znnd-fast", "node-world/znndev"], () => {
  let lab: Lab;
  let host: LabHost;
  let network: RealNetwork;
  let stack: LabStack;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1", ensurePackagedImage);
    network = await RealNetwork.create(lab, { clocks, hosts: { s1: host.address } });
    await network.start("p1", "p2", "p3");
    await setUpRealNode(network, "s1", host);
    stack = await testStack(lab, host);
    await vi.waitFor(async () => expect((await momentums("p1", chain, 1)).length).toBe(1), {
      timeout: 600_000,
      interval: 2000,
    });
  });
  afterAll(async () => {
    await stack?.endRuns();
    await lab?.down();
  });

  /** Height and hash, as a node tells them. */
  async function momentums(name: string, from: number, count: number): Promise<string[]> {
    const params = [from, count];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ledger.getMomentumsByHeight", params });
    const request = ["-sf", "-H", "content-type: application/json", "-d", body, network.node(name).rpc];
    const [curl = "", ...args] = lab.atOperator(["curl", ...request]);
    const { stdout } = await execa(curl, args, { reject: false });
    const { list } = JSON.parse(stdout || '{"result":{}}').result as { list?: { height: number; hash: string }[] };
    return (list ?? []).map(({ height, hash }) => `${height} ${hash}`);
  }

  let tornAt: number;

  test("SIGKILL while it takes in momentums leaves it torn; a look says so, and changes nothing", async () => {
    // About one in three is torn, on a busy machine fewer.
    const lines = await endInTheMiddle(host, "SIGKILL", 1000);
    const [, , height, , kind] = (lines.at(-1) ?? "").split(" ");
    expect(kind, lines.join("\n")).toBe("undo");
    tornAt = Number(height);
    const before = await onHost(host, "cat /root/.znn/nom/* | sha256sum");
    const status = await cli(stack, ["status", "prod"]);
    expect(status.out).toMatch(/^database +nom is torn: the node was killed while it wrote a momentum/m);
    const told = await cli(stack, ["repair", "prod"]);
    expect(told.exitCode, told.out).toBe(1);
    expect(told.out).toContain(`nom is torn: momentum ${tornAt + 1} was being written when the node was killed`);
    expect(told.out).toContain("To repair it: ./pillar-host repair prod --yes");
    expect(await onHost(host, "cat /root/.znn/nom/* | sha256sum")).toBe(before);
  }, 1_200_000);

  test("repaired, it goes on from there, and every momentum is the producers'", async () => {
    const told = await cli(stack, ["repair", "prod", "--yes"]);
    expect(told.exitCode, told.out).toBe(0);
    expect(told.out).toContain("repaired: the node takes that momentum in anew");
    expect(told.out).toContain("go-node runs, and answers.");
    await vi.waitFor(async () => expect((await momentums("s1", chain, 1)).length).toBe(1), {
      timeout: 300_000,
      interval: 1000,
    });
    expect(await momentums("s1", 1, chain)).toEqual(await momentums("p1", 1, chain));
    expect(await onHost(host, "stat -c %a /root/.znn/nom.before-repair-*")).toBe("600");
  }, 600_000);

  test("one that runs is stopped only on request, found sound, and runs on", async () => {
    const asked = await cli(stack, ["repair", "prod"]);
    expect(asked.exitCode, asked.out).toBe(1);
    expect(asked.out).toContain("go-node is active");
    const told = await cli(stack, ["repair", "prod", "--yes"]);
    expect(told.exitCode, told.out).toBe(0);
    expect(told.out).toContain("nothing was to be repaired");
    const [newest = ""] = await momentums("p1", chain, 1);
    await vi.waitFor(async () => expect(await momentums("s1", chain, 1)).toEqual([newest]), { timeout: 120_000 });
  }, 600_000);

  test("stopped as this program has it stopped, in the same load, it is never torn", async () => {
    await onHost(host, `host_name=h stack_word=prod\n${scriptOf({ service: "go-node" }, "nodeStop")}\nlet_node_end`);
    const lines = await endInTheMiddle(host, "SIGTERM", 10);
    expect(lines).toHaveLength(10);
    expect(lines.filter((line) => !/^nom sound [1-9]/.test(line))).toEqual([]);
  }, 600_000);
});
