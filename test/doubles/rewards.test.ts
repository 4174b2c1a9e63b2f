import { describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address";
import { dueEpoch, epochAt } from "../../lab/doubles/chain/epochs";
import { chainInHand } from "./chainClock";

const producer = addressFrom("producer");
const withdrawAddress = addressFrom("rewards");
const day = 86_400;
const znnOf = (momentums: number) => String(momentums * 20_000_000);
const nothing = { znnAmount: "0", qsrAmount: "0" };

/** Anvil holds every second momentum; an epoch has 100 s, and is paid 30 s after its end. */
function anvil(height = 101) {
  const hand = chainInHand({ height, nodes: { host1: producer } });
  hand.chain.patchTruth({ backgroundPillars: 1, epochSeconds: 100, rewardDelaySeconds: 30 });
  hand.chain.patchPillar("Anvil", { producerAddress: producer, withdrawAddress });
  return hand;
}

describe("epochs", () => {
  it("begin with momentum 1", () => {
    const { chain, seconds } = chainInHand({ height: 14_900_000 });
    const { genesis, epochSeconds, rewardDelaySeconds, epoch } = chain.truth();
    expect(genesis).toBe(seconds() - 14_899_999 * 10);
    expect(chain.momentum(1)?.timestamp).toBe(genesis);
    expect([epochSeconds, rewardDelaySeconds]).toEqual([day, 3600]);
    expect(epoch).toBe(Math.floor((seconds() - genesis) / day));
  });

  it("keep their beginning whatever becomes of pace and height", () => {
    const { chain, jump } = chainInHand({ height: 1000 });
    const { genesis } = chain.truth();
    chain.patchTruth({ momentumSeconds: 1 });
    jump(50);
    chain.patchTruth({ height: 500 });
    jump(50);
    chain.patchTruth({ height: 9_000, momentumSeconds: 0.5 });
    expect(chain.truth().genesis).toBe(genesis);
    expect(chain.momentum(1)?.timestamp).toBe(genesis);
    // What was before a lowered height is recent.
    expect(chain.momentum(400)?.timestamp).toBe(genesis + 9990 + 50 - 100);
  });

  it("are due after their end and the delay, not a second before", () => {
    const clock = { genesis: 1000, epochSeconds: 100, rewardDelaySeconds: 30 };
    expect([999, 1000, 1099, 1100].map((seconds) => epochAt(clock, seconds))).toEqual([-1, 0, 0, 1]);
    expect([0, 1000, 1129, 1130, 1229, 1230].map((seconds) => dueEpoch(clock, seconds))).toEqual([-1, -1, -1, 0, 0, 1]);
  });
});

describe("rewards", () => {
  it("come in proportion to what was produced in the epoch, after the delay", () => {
    const { chain, run } = anvil();
    // Momentum 101 was at 1000 s: epoch 10 runs from 101 to 110, and Anvil holds 102, 104, …
    run(129);
    expect(chain.rewardPage(withdrawAddress, 0, 1).list).toEqual([{ epoch: 9, ...nothing }]);
    expect(chain.uncollectedReward(withdrawAddress)).toEqual({ address: withdrawAddress, ...nothing });
    run(1);
    const paid = { epoch: 10, znnAmount: znnOf(5), qsrAmount: "0" };
    expect(chain.rewardPage(withdrawAddress, 0, 1).list).toEqual([paid]);
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject({ znnAmount: znnOf(5) });
    expect(chain.truth()).toMatchObject({ epoch: 11, distributedEpoch: 10 });
  });

  it("are 0 for an epoch in which nothing was produced, and whole again after it", () => {
    const { chain, run, jump, seconds } = anvil();
    const start = seconds() * 1000;
    run(145);
    jump(100);
    run(200);
    const rows = chain.rewardPage(withdrawAddress, 0, 4).list.map(({ epoch, znnAmount }) => [epoch, znnAmount]);
    expect(rows).toEqual([
      [13, znnOf(5)],
      // From 245 s on it runs again: 126, 128 and 130.
      [12, znnOf(3)],
      // Until 145 s it produced 112 and 114.
      [11, znnOf(2)],
      [10, znnOf(5)],
    ]);
    expect(chain.missed("Anvil").map(({ at }) => (at - start) / 1000)).toEqual([150, 170, 190, 210, 230]);
  });

  it("have a row for every epoch since the first, newest first, whoever asks", () => {
    const { chain, run } = anvil();
    run(130);
    const stranger = addressFrom("stranger");
    expect(chain.rewardPage(stranger, 0, 3)).toEqual({
      count: 11,
      list: [10, 9, 8].map((epoch) => ({ epoch, ...nothing })),
    });
    expect(chain.rewardPage(withdrawAddress, 3, 3).list.map(({ epoch }) => epoch)).toEqual([1, 0]);
    expect(chain.rewardPage(withdrawAddress, 4, 3).list).toEqual([]);
  });

  it("are collected once, and the rows stay", () => {
    const { chain, run } = anvil();
    run(130);
    expect(chain.collectRewards(withdrawAddress)).toMatchObject({ znnAmount: znnOf(5) });
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject(nothing);
    expect(chain.collectRewards(withdrawAddress)).toMatchObject(nothing);
    expect(chain.rewardPage(withdrawAddress, 0, 1).list).toMatchObject([{ epoch: 10, znnAmount: znnOf(5) }]);
    run(100);
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject({ znnAmount: znnOf(5) });
  });

  it("go to the withdraw address that a Pillar has when they are distributed", () => {
    const { chain, run } = anvil();
    run(110);
    chain.patchPillar("Anvil", { withdrawAddress: addressFrom("other rewards") });
    run(20);
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject(nothing);
    expect(chain.uncollectedReward(addressFrom("other rewards"))).toMatchObject({ znnAmount: znnOf(5) });
  });

  it("are less by what a Pillar gives to its delegators, down to nothing", () => {
    const { chain, run } = anvil();
    chain.patchPillar("Anvil", { giveMomentumRewardPercentage: 25 });
    run(130);
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject({ znnAmount: String(5 * 15_000_000) });
    chain.patchPillar("Anvil", { giveMomentumRewardPercentage: 100 });
    run(100);
    expect(chain.rewardPage(withdrawAddress, 0, 1).list).toEqual([{ epoch: 11, ...nothing }]);
  });

  it("set by hand stand for what was so far; later epochs add to them, exact beyond a float", () => {
    const { chain, run } = anvil();
    run(100);
    chain.patchRewards(withdrawAddress, {
      uncollected: { znnAmount: "90071992547409930", qsrAmount: "7" },
      history: [{ epoch: 3, znnAmount: "1", qsrAmount: "2" }],
    });
    expect(chain.rewardPage(withdrawAddress, 0, 9)).toEqual({
      count: 1,
      list: [{ epoch: 3, znnAmount: "1", qsrAmount: "2" }],
    });
    run(30);
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject({ znnAmount: "90071992647409930", qsrAmount: "7" });
    expect(chain.rewardPage(withdrawAddress, 0, 9).list.map(({ epoch }) => epoch)).toEqual([10, 3]);
  });

  it("are paid once when epochs get another length, which numbers them anew", () => {
    const { chain, run, jump } = anvil();
    run(130);
    chain.patchTruth({ epochSeconds: 500 });
    expect(chain.truth()).toMatchObject({ epoch: 2, distributedEpoch: 1 });
    jump(500);
    // Of 102 to 150, the first five were paid before; 112 and 114 are left, the rest was missed.
    expect(chain.rewardPage(withdrawAddress, 0, 1)).toEqual({
      count: 3,
      list: [{ epoch: 2, znnAmount: znnOf(2), qsrAmount: "0" }],
    });
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject({ znnAmount: znnOf(7) });
  });

  it("keep no row of an epoch that was numbered otherwise, nor pay one that is over when the numbers change", () => {
    const { chain, run, jump } = anvil();
    run(130);
    chain.patchRewards(addressFrom("by hand"), { history: [{ epoch: 9, znnAmount: "1", qsrAmount: "2" }] });
    chain.patchTruth({ epochSeconds: 10, rewardDelaySeconds: 0 });
    // 1130 s: 113 epochs are over, among them that of momentum 112.
    expect(chain.rewardPage(withdrawAddress, 0, 200)).toEqual({
      count: 113,
      list: Array.from({ length: 113 }, (_, index) => ({ epoch: 112 - index, ...nothing })),
    });
    expect(chain.rewardPage(addressFrom("by hand"), 0, 9).count).toBe(1);
    jump(10);
    expect(chain.uncollectedReward(withdrawAddress)).toMatchObject({ znnAmount: znnOf(6) });
    expect(chain.rewardPage(withdrawAddress, 0, 2).list).toEqual([
      { epoch: 113, znnAmount: znnOf(1), qsrAmount: "0" },
      { epoch: 112, ...nothing },
    ]);
    expect(chain.rewardPage(addressFrom("by hand"), 0, 9).list.map(({ epoch }) => epoch)).toEqual([113, 9]);
  });
});
