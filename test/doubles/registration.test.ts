import { describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address";
import { chainInHand } from "./chainClock";

const oldAddress = addressFrom("old producer");
const newAddress = addressFrom("new producer");

/** Creates a chain on which Anvil holds every second momentum from height 100 on; both its nodes run. */
function anvil() {
  const hand = chainInHand({ height: 100, nodes: { old: oldAddress, new: newAddress } });
  hand.chain.patchTruth({ backgroundPillars: 1 });
  hand.chain.patchPillar("Anvil", { producerAddress: oldAddress });
  return hand;
}

describe("an election", () => {
  it.each([
    // The contract's block is two momentums later, in 120, the last of a tick: it waits for one whole tick.
    [18, 151],
    // It is in 121, the first of a tick: it waits for two.
    [19, 181],
    [0, 151],
  ])("applies an update sent after %d momentums from slot %d on", (momentums, slot) => {
    const { chain, run, seconds } = anvil();
    const start = seconds();
    run(momentums * 10);
    chain.updateProducer("Anvil", newAddress);
    expect(chain.pillar("Anvil")?.producers.at(-1)?.from).toBe((start + (slot - 100) * 10) * 1000);
  });

  it("leaves the old address producing for two ticks, while the new one is shown with the next momentum", () => {
    const { chain, run } = anvil();
    run(25);
    chain.updateProducer("Anvil", newAddress);
    expect(chain.pillar("Anvil")?.producerAddress).toBe(oldAddress);
    run(5);
    expect(chain.pillar("Anvil")?.producerAddress).toBe(newAddress);
    run(510);
    const producers = chain.production().map(({ height, producer, nodes }) => [height, producer, nodes]);
    expect(producers.slice(0, 25)).toEqual(
      Array.from({ length: 25 }, (_, index) => [102 + 2 * index, oldAddress, ["old"]]),
    );
    expect(producers.slice(25)).toEqual([
      [152, newAddress, ["new"]],
      [154, newAddress, ["new"]],
    ]);
    expect(chain.momentum(150)?.producer).toBe(oldAddress);
    expect(chain.momentum(152)?.producer).toBe(newAddress);
    expect([chain.missed(), chain.doubleProduced()]).toEqual([[], []]);
    expect(chain.pillar("Anvil")?.producers.map(({ producerAddress }) => producerAddress)).toEqual([
      oldAddress,
      newAddress,
    ]);
  });

  it("costs the momentums of two ticks if the old node ends with the update", () => {
    const hand = chainInHand({ height: 100, nodes: { new: newAddress } });
    hand.chain.patchTruth({ backgroundPillars: 1, tickMomentums: 4 });
    hand.chain.patchPillar("Anvil", { producerAddress: oldAddress });
    const start = hand.seconds();
    hand.chain.updateProducer("Anvil", newAddress);
    hand.run(150);
    // Ticks begin with slots 97, 101, 105, 109.
    expect(hand.chain.missed("Anvil").map(({ at }) => at / 1000 - start)).toEqual([20, 40, 60, 80]);
    expect(hand.chain.production().find(({ producer }) => producer === newAddress)?.at).toBe((start + 100) * 1000);
    expect(hand.chain.network().height).toBe(111);
    expect(hand.chain.momentums(101, 20).some(({ producer }) => producer === oldAddress)).toBe(false);
    // Expected are 102 to 114; the tick ends with 116.
    expect(hand.chain.pillar("Anvil")?.currentStats).toEqual({ producedMomentums: 3, expectedMomentums: 8 });
  });

  it("counts at once where a test sets the Pillar, over an update that has not begun", () => {
    const { chain, run } = anvil();
    chain.updateProducer("Anvil", addressFrom("third"));
    chain.patchPillar("Anvil", { producerAddress: newAddress });
    run(620);
    expect(chain.production().every(({ producer }) => producer === newAddress)).toBe(true);
    expect(chain.pillar("Anvil")?.producers.map(({ producerAddress }) => producerAddress)).toEqual([newAddress]);
  });
});

describe("the wallet", () => {
  it("refuses an unregistered Pillar", () => {
    expect(() => anvil().chain.updateProducer("Hammer", newAddress)).toThrow("no Pillar is called Hammer");
  });

  it("changes nothing for an address that is or was another Pillar's producer", () => {
    const { chain, run } = anvil();
    chain.patchPillar("Hammer", { producerAddress: addressFrom("hammer 1") });
    run(10);
    chain.updateProducer("Hammer", addressFrom("hammer 2"));
    for (const address of ["hammer 1", "hammer 2"])
      expect(chain.updateProducer("Anvil", addressFrom(address)).producerAddress).toBe(oldAddress);
    run(20);
    expect(chain.pillar("Anvil")?.producerAddress).toBe(oldAddress);
    expect(chain.pillar("Anvil")?.producers).toHaveLength(1);
  });

  it("returns to an earlier address of the same Pillar, two ticks later again", () => {
    const { chain, run, seconds } = anvil();
    const start = seconds();
    chain.updateProducer("Anvil", newAddress);
    run(600);
    chain.updateProducer("Anvil", oldAddress);
    run(600);
    expect(chain.pillar("Anvil")?.producers.map(({ from }) => from / 1000 - start)).toEqual([10, 510, 1110]);
    expect(chain.momentum(210)?.producer).toBe(newAddress);
    expect(chain.momentum(212)?.producer).toBe(oldAddress);
  });

  it("takes the address that is registered already without a new term", () => {
    const { chain } = anvil();
    chain.updateProducer("Anvil", oldAddress);
    expect(chain.pillar("Anvil")?.producers).toHaveLength(1);
  });
});
