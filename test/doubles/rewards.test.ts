import { describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address";
import { chainInHand } from "./chainClock";

const producer = addressFrom("producer");
const withdrawAddress = addressFrom("rewards of Anvil");
const znnOf = (momentums: number) => String(momentums * 20_000_000);
const nothing = { znnAmount: "0", qsrAmount: "0" };

/** Creates a chain on which Anvil holds every second momentum; an epoch has 100 s and is paid 30 s after its end. */
function anvil(height = 101) {
  const hand = chainInHand({ height, nodes: { host1: producer } });
  hand.chain.patchTruth({ backgroundPillars: 1, epochSeconds: 100, rewardDelaySeconds: 30 });
  hand.chain.patchPillar("Anvil", { producerAddress: producer });
  return hand;
}

describe("rewards", () => {
  it("come in proportion to what was produced in the epoch, after the delay", () => {
    const { chain, run } = anvil();
    // Momentum 101 was at 1000 s: epoch 10 runs from 101 to 110, and Anvil holds 102, 104, …
    run(129);
    expect(chain.rewards.page(withdrawAddress, 0, 1).list).toEqual([{ epoch: 9, ...nothing }]);
    expect(chain.rewards.of(withdrawAddress)).toEqual({ address: withdrawAddress, ...nothing });
    run(1);
    const paid = { epoch: 10, znnAmount: znnOf(5), qsrAmount: "0" };
    expect(chain.rewards.page(withdrawAddress, 0, 1).list).toEqual([paid]);
    expect(chain.rewards.of(withdrawAddress)).toMatchObject({ znnAmount: znnOf(5) });
    expect(chain.truth()).toMatchObject({ epoch: 11, distributedEpoch: 10 });
  });

  it("are 0 for an epoch in which nothing was produced, and whole again after it", () => {
    const { chain, run, jump, seconds } = anvil();
    const start = seconds() * 1000;
    run(145);
    jump(100);
    run(200);
    const rows = chain.rewards.page(withdrawAddress, 0, 4).list.map(({ epoch, znnAmount }) => [epoch, znnAmount]);
    expect(rows).toEqual([
      [13, znnOf(5)],
      // From 245 s on it runs again: 126, 128 and 130.
      [12, znnOf(3)],
      // It produced 112 and 114 until 145 s.
      [11, znnOf(2)],
      [10, znnOf(5)],
    ]);
    expect(chain.missed("Anvil").map(({ at }) => (at - start) / 1000)).toEqual([150, 170, 190, 210, 230]);
  });
});
