import { describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address";
import { electedFrom } from "../../lab/doubles/chain/registration";
import { chainInHand } from "./chainClock";

const oldAddress = addressFrom("old producer");
const newAddress = addressFrom("new producer");

/** Anvil holds every second momentum, from height 100 on; both of its nodes run. */
function anvil() {
  const hand = chainInHand({ height: 100, nodes: { old: oldAddress, new: newAddress } });
  hand.chain.patchTruth({ backgroundPillars: 1 });
  hand.chain.patchPillar("Anvil", { producerAddress: oldAddress });
  return hand;
}

describe("an election", () => {
  it.each([
    // Sent in the last momentum but one of a tick, it waits for one whole tick.
    [118, 150],
    // Its transaction is in the next momentum, the first of a tick: it waits for two.
    [119, 180],
    [120, 180],
    [100, 150],
  ])("of what was sent at %d is held from %d on", (height, from) => {
    expect(electedFrom(height, 30)).toBe(from);
  });

  it("leaves the old address producing for two ticks, while the new one is shown at once", () => {
    const { chain, run } = anvil();
    run(20);
    chain.updateProducer("Anvil", newAddress);
    expect(chain.pillar("Anvil")?.producerAddress).toBe(newAddress);
    run(520);
    const producers = chain.production().map(({ height, producer, nodes }) => [height, producer, nodes]);
    expect(producers.filter(([height]) => Number(height) < 150)).toEqual(
      Array.from({ length: 24 }, (_, index) => [102 + 2 * index, oldAddress, ["old"]]),
    );
    expect(producers.slice(24)).toEqual([
      [150, newAddress, ["new"]],
      [152, newAddress, ["new"]],
      [154, newAddress, ["new"]],
    ]);
    expect(chain.momentum(148)?.producer).toBe(oldAddress);
    expect(chain.momentum(150)?.producer).toBe(newAddress);
    expect([chain.missed(), chain.doubleProduced()]).toEqual([[], []]);
    expect(chain.pillar("Anvil")?.producers).toEqual([
      { producerAddress: oldAddress, from: 101 },
      { producerAddress: newAddress, from: 150 },
    ]);
  });

  it("costs the momentums of two ticks when the old node ends with the update", () => {
    const hand = chainInHand({ height: 100, nodes: { new: newAddress } });
    hand.chain.patchTruth({ backgroundPillars: 1, tickMomentums: 4 });
    hand.chain.patchPillar("Anvil", { producerAddress: oldAddress });
    hand.chain.updateProducer("Anvil", newAddress);
    hand.run(150);
    expect(hand.chain.missed("Anvil").map(({ height }) => height)).toEqual([102, 104, 106]);
    expect(hand.chain.momentum(108)?.producer).toBe(newAddress);
    expect(hand.chain.momentum(106)?.producer).not.toBe(oldAddress);
    // Of 102 to 114; the tick ends with 115.
    expect(hand.chain.pillar("Anvil")?.currentStats).toEqual({ producedMomentums: 4, expectedMomentums: 7 });
  });

  it("counts at once where a test sets the Pillar, over an update that has not begun", () => {
    const { chain, run } = anvil();
    chain.updateProducer("Anvil", addressFrom("third"));
    chain.patchPillar("Anvil", { producerAddress: newAddress });
    run(620);
    expect(chain.production().every(({ producer }) => producer === newAddress)).toBe(true);
    expect(chain.pillar("Anvil")?.producers).toEqual([{ producerAddress: newAddress, from: 101 }]);
  });

  it("stays to come when a test sets something else of the Pillar", () => {
    const { chain, run } = anvil();
    chain.updateProducer("Anvil", newAddress);
    chain.patchPillar("Anvil", { rank: 7 });
    run(520);
    expect(chain.production().map(({ producer }) => producer === newAddress)).toEqual([
      ...Array.from({ length: 24 }, () => false),
      true,
      true,
    ]);
  });
});

describe("the wallet", () => {
  it("refuses a Pillar that nobody registered", () => {
    expect(() => anvil().chain.updateProducer("Hammer", newAddress)).toThrow("no Pillar is called Hammer");
  });

  it("refuses an address that is or was the producer of another Pillar, and changes nothing", () => {
    const { chain, run } = anvil();
    chain.patchPillar("Hammer", { producerAddress: addressFrom("hammer 1") });
    run(10);
    chain.updateProducer("Hammer", addressFrom("hammer 2"));
    const refusal = "name or producing address not unique";
    expect(() => chain.updateProducer("Anvil", addressFrom("hammer 1"))).toThrow(refusal);
    expect(() => chain.updateProducer("Anvil", addressFrom("hammer 2"))).toThrow(refusal);
    expect(chain.pillar("Anvil")?.producerAddress).toBe(oldAddress);
    expect(chain.pillar("Anvil")?.producers).toHaveLength(1);
  });

  it("goes back to an earlier address of the same Pillar, two ticks later again", () => {
    const { chain, run } = anvil();
    chain.updateProducer("Anvil", newAddress);
    run(600);
    chain.updateProducer("Anvil", oldAddress);
    run(600);
    expect(chain.pillar("Anvil")?.producers.map(({ from }) => from)).toEqual([101, 150, 210]);
    expect(chain.momentum(208)?.producer).toBe(newAddress);
    expect(chain.momentum(210)?.producer).toBe(oldAddress);
  });

  it("takes the address that is registered already without a new term", () => {
    const { chain } = anvil();
    chain.updateProducer("Anvil", oldAddress);
    expect(chain.pillar("Anvil")?.producers).toHaveLength(1);
  });
});
