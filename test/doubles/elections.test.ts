import { describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address";
import { electedOf } from "../../lab/doubles/chain/elections";
import { Gaps } from "../../lab/doubles/chain/timeline";
import { chainInHand } from "./chainClock";

const candidates = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ name: `${place + 1}`, weight: BigInt(1000 - place) }));

describe("a tick's slots", () => {
  it.each([
    [3, { 1: 10, 3: 10 }],
    [25, { 1: 2, 5: 2, 6: 1, 25: 1 }],
    [30, { 1: 1, 30: 1 }],
  ])("are all Pillars', of %d", (count, expected) => {
    const elected = electedOf(candidates(count), 30, "any");
    const slots = Object.keys(expected).map((name) => [name, elected.filter((each) => each === name).length]);
    expect([elected.length, Object.fromEntries(slots)]).toEqual([30, expected]);
  });

  it("are drawn of a hundred Pillars: one of the first thirty is in 59 of 100 ticks, one of the others in 18", () => {
    const ticks = 4000;
    const counts = new Map<string, number>();
    for (let tick = 0; tick < ticks; tick++) {
      const elected = electedOf(candidates(100), 30, `tick ${tick}`);
      expect(new Set(elected).size).toBe(30);
      for (const name of elected) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const share = (name: string) => (counts.get(name) ?? 0) / ticks;
    for (const name of ["1", "30"]) expect(share(name)).toBeCloseTo(15 / 30 + (15 / 30) * (15 / 85), 1);
    for (const name of ["31", "100"]) expect(share(name)).toBeCloseTo(15 / 85, 1);
  });
});

it("empty slots have no momentum, so heights fall behind time", () => {
  const gaps = new Gaps();
  for (const slot of [4, 5, 9]) gaps.empty.push(slot);
  expect([3, 4, 5, 6, 8, 9, 10].map((slot) => gaps.heightOf(slot))).toEqual([3, 3, 3, 4, 6, 6, 7]);
  expect([3, 4, 5, 6, 7].map((height) => gaps.slotOf(height))).toEqual([3, 6, 7, 8, 10]);
});

it("a Pillar above a hundred others is elected in more than half of the ticks, and misses no slot", () => {
  const producerAddress = addressFrom("producer");
  const { chain, run } = chainInHand({ height: 100, nodes: { host1: producerAddress } });
  chain.patchTruth({ backgroundPillars: 99 });
  chain.patchPillar("Anvil", { producerAddress });
  run(60 * 300);
  expect(chain.electorate()[0]?.name).toBe("Anvil");
  expect(chain.production().length).toBeGreaterThan(24);
  expect(chain.production().length).toBeLessThan(48);
  expect(chain.missed()).toEqual([]);
});
