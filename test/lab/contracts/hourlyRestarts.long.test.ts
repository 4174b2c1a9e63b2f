import { execa } from "execa";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hourlyRestart } from "../../../core/steps/nodeSteps";
import { scriptOf } from "../../../core/steps/step";
import type { Lab, LabHost } from "../../../lab/lab";
import { ensurePackagedImage } from "../../../lab/packagedImage";
import { RealNetwork } from "../../../lab/realNetwork";
import { setUpRealNode } from "../../../lab/realNode";
import { restartsVariable } from "../../../lab/restarts/variables";
import type { LabStack } from "../../../lab/stack";
import { cli } from "../cli/fixture";
import { onHost, stepOn, testLab, testStack } from "../fixture";
import { realOnly } from "./contract";
import { keepWhatIsLeft, restartInTheMiddle } from "./hourlyRestarts";

const restarts = Number(process.env[restartsVariable] ?? 4);
// A momentum a second, and in each of them as much as a contract's update writes. Each test goes on where the one before it
// ended.
const clocks = { blockTime: 1, epoch: 120, rewardDelay: 20, updateMomentums: 1 };
/** A node takes in so many momentums for longer than a restart takes to come. */
const chain = 300;

realOnly("the hourly restart of a node that takes in the chain", ["node-world/znnd-fast", "node-world/znndev"], () => {
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
    await keepWhatIsLeft(host);
    const { exitCode, output } = await stepOn({ lab, host }, (config) => hourlyRestart(config, "syncing"));
    expect(exitCode, output).toBe(0);
    stack = await testStack(lab, host);
    await vi.waitFor(async () => expect((await momentums("p1", chain, 1)).length).toBe(1), {
      timeout: 1_200_000,
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

  /** Restarts it until so many restarts came while it took in momentums. @returns the judge's lines of those */
  async function restarted(each: (line: string) => Promise<void> = async () => undefined): Promise<string[]> {
    const met: string[] = [];
    for (let left = restarts * 4; met.length < restarts && left > 0; left -= 1) {
      const line = await restartInTheMiddle(host);
      const [, , height = "0"] = line.split(" ");
      if (Number(height) < 1 || Number(height) >= chain) continue;
      met.push(line);
      await each(line);
    }
    expect(met).toHaveLength(restarts);
    return met;
  }
  const isTorn = (line: string) => /^nom torn /.test(line);
  const figures = (lines: readonly string[]) => {
    const heights = lines.map((line) => Number(line.split(" ")[2])).sort((a, b) => a - b);
    return `${lines.length} times, at momentums ${heights[0]} to ${heights.at(-1)}: ${lines.filter(isTorn).length} torn`;
  };

  test(
    "by the controller's unit it is killed; what that tore, repair restores, and every momentum is the producers'",
    async () => {
      let restored = 0;
      const lines = await restarted(async (line) => {
        if (!isTorn(line)) return;
        const told = await cli(stack, ["repair", "prod", "--yes"]);
        expect(told.exitCode, told.out).toBe(0);
        expect(told.out).toContain("repaired: the node takes that momentum in anew");
        await vi.waitFor(async () => expect((await momentums("s1", chain, 1)).length).toBe(1), {
          timeout: 300_000,
          interval: 1000,
        });
        expect(await momentums("s1", 1, chain)).toEqual(await momentums("p1", 1, chain));
        restored += 1;
      });
      const torn = lines.filter(isTorn).length;
      console.log(`killed by the hourly restart ${figures(lines)}, ${restored} restored`);
      expect(restored).toBe(torn);
    },
    restarts * 300_000,
  );

  test(
    "stopped as this program has it stopped, in the same load, none is torn",
    async () => {
      await onHost(host, `host_name=h stack_word=prod\n${scriptOf({ service: "go-node" }, "nodeStop")}\nlet_node_end`);
      const lines = await restarted();
      console.log(`stopped by the hourly restart ${figures(lines)}`);
      expect(lines.filter((line) => !/^nom sound [1-9]/.test(line))).toEqual([]);
    },
    restarts * 200_000,
  );
});
