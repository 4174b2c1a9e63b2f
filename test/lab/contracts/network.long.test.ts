import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runChild } from "../../../lab/bench/child";
import type { Lab } from "../../../lab/lab";
import { RealNetwork, type RealNode } from "../../../lab/real/realNetwork";
import { testLab } from "../fixture";
import { realOnly } from "./contract";
import type { Task } from "./onNetwork.mts";

interface Retirement {
  readonly good: number;
  readonly unmet: readonly string[];
  readonly last: ReadonlyArray<{
    readonly own?: { readonly height: number };
    readonly successor?: { readonly height: number };
  }>;
  readonly rewards: ReadonlyArray<{ readonly says: string; readonly why?: string; readonly evidence?: string }>;
}

// The node is built for short tests: two seconds to a momentum, twenty to a tick, a minute to an epoch. Each test
// continues from the previous one.
const clocks = { blockTime: 2, tickSlots: 10, epoch: 60, rewardDelay: 20, updateMomentums: 5 };
const tick = clocks.tickSlots * clocks.blockTime * 1000;
const paces = { momentum: clocks.blockTime * 1000, tickMomentums: clocks.tickSlots };
const pillar = "Pillar-2";

realOnly("a Pillar's move", ["node-world/znnd-fast", "node-world/znndev"], () => {
  let lab: Lab;
  let network: RealNetwork;
  let old: RealNode;
  let next: RealNode;
  let references: string[];

  /** Runs the program's own code at the operator's end, against the network's nodes. */
  const at = <T>(task: Task) => runChild<T>(lab, join(import.meta.dirname, "onNetwork.mts"), task, 600_000);

  const retirement = () =>
    at<Retirement>({
      do: "retirement",
      references,
      pillar,
      own: old.producer,
      successor: next.producer,
      network: paces,
      epoch: clocks.epoch * 1000,
    });

  beforeAll(async () => {
    lab = await testLab();
    network = await RealNetwork.create(lab, { clocks });
    [old, next] = [network.node("p2"), network.node("s1")];
    references = [network.node("p1").rpc, network.node("p3").rpc];
    await network.start("p1", "p2", "p3");
    // Something to catch up with.
    await sleep(network.genesis + 20_000 - Date.now());
    await network.start("s1");
  });

  afterAll(async () => {
    await lab?.down();
  });

  test("the gate proves that the new node is synced, by its peers, clock and two other nodes", async () => {
    const proof = await at<{ state: number; proved: string[]; unproved: string[] }>({
      do: "gate",
      node: next.rpc,
      references,
    });
    expect(proof).toMatchObject({ state: 2, unproved: [] });
    expect(proof.proved).toContain("height agrees with the references' median");
  });

  test("refuses to retire the old host while it is the registered one", async () => {
    const { good, unmet } = await retirement();
    expect(good).toBe(2);
    expect(unmet).toContain("this host's producer address is the registered one");
  });

  test("follows the wallet's update to the first momentum of the new address, two ticks later", async () => {
    const asked = Date.now();
    await network.updatePillar(pillar, next.producer);
    const published = Date.now();
    const { switchedAt, height } = await at<{ switchedAt: string; height: number }>({
      do: "cutover",
      node: next.rpc,
      references,
      pillar,
      ours: next.producer,
      network: paces,
    });
    const tickOf = (time: number) => Math.floor((time - network.genesis) / tick);
    // Two after that in which the contract has it, which may be the one after its publication.
    expect(tickOf(Date.parse(switchedAt)) - tickOf(asked)).toBeGreaterThanOrEqual(2);
    expect(tickOf(Date.parse(switchedAt)) - tickOf(published)).toBeLessThanOrEqual(3);
    expect(height).toBeGreaterThan(tick / 2000);
  });

  test("allows the shutdown of the old host's node once its address produces no more", async () => {
    const { unmet, last } = await retirement();
    expect(unmet).toEqual([]);
    for (const { own, successor } of last) expect(successor?.height).toBeGreaterThan(own?.height ?? 0);
    await network.stop("p2");
  });

  test("waits for the rewards until the first whole epoch is paid and collected", async () => {
    expect((await retirement()).rewards.map(({ says }) => says)).toEqual(["waiting", "waiting"]);
    const paid = async () => {
      const { rewards } = await retirement();
      for (const { why } of rewards) expect(why).toMatch(/^paid since epoch \d+, and not collected: /);
    };
    await vi.waitFor(paid, { timeout: 500_000, interval: 5000 });
    await network.collect(pillar);
    const collected = async () => {
      const { rewards } = await retirement();
      expect(rewards.map(({ says }) => says)).toEqual(["collected", "collected"]);
    };
    await vi.waitFor(collected, { timeout: 300_000, interval: 3000 });
  });
});
