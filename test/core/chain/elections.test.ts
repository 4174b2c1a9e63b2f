import { describe, expect, test } from "vitest";
import {
  computeElectedFrom,
  computeElectionChance,
  computeMaxTicksWithoutSlot,
  computeTickMs,
  computeUsualTicks,
  formatStanding,
} from "../../../core/chain/elections";
import { electedOf } from "../../../lab/doubles/chain/elections";

const network = { momentum: 10_000, tickMomentums: 30 };
const genesis = Date.parse("2026-11-22T06:10:41Z");
const at = (time: string) => Date.parse(`2026-11-22T${time}Z`);

describe("the chance of election", () => {
  // The shares as go-zenon's own algorithm gave them in 20,000 ticks.
  test.each([
    [3, 3, 1],
    [30, 30, 1],
    [60, 1, 0.67],
    [60, 60, 0.33],
    [80, 80, 0.23],
    [100, 100, 0.17],
  ])("is, with %i Pillars, at rank %i: %f", (pillars, place, share) => {
    const { least, most } = computeElectionChance({ pillars, place }, network);
    expect(least).toBe(most);
    expect(Math.abs(least - share)).toBeLessThan(0.01);
  });

  test("lies between both for a Pillar without a counted weight", () => {
    const { least, most } = computeElectionChance({ pillars: 100 }, network);
    expect([least.toFixed(3), most.toFixed(3)]).toEqual(["0.176", "0.588"]);
    expect(computeElectionChance({ pillars: 30 }, network)).toEqual({ least: 1, most: 1 });
  });

  test("is that of the rest at the edge of the top ranks, because weights change", () => {
    const of = (place: number) => computeElectionChance({ pillars: 100, place }, network).least.toFixed(2);
    expect([of(25), of(26), of(30), of(31)]).toEqual(["0.59", "0.18", "0.18", "0.18"]);
  });
});

describe("the time until a slot is overdue", () => {
  test.each([
    [1, 4],
    [0.588, 11],
    [0.333, 23],
    [15 / 85, 48],
  ])("is, at a chance of %f, %i ticks", (chance, ticks) => {
    expect(computeMaxTicksWithoutSlot(chance)).toBe(ticks);
    expect((1 - chance) ** ticks).toBeLessThan(1e-4);
  });

  test("is much longer than usual", () => {
    expect([1, 0.588, 15 / 85].map(computeUsualTicks)).toEqual([1, 1, 4]);
  });

  test("is longer than a healthy Pillar of a hundred stays without a slot", () => {
    const candidates = Array.from({ length: 100 }, (_, place) => ({
      name: `${place + 1}`,
      weight: BigInt(500 - place),
    }));
    const patience = computeMaxTicksWithoutSlot(computeElectionChance({ pillars: 100, place: 71 }, network).least);
    const last = new Map(candidates.slice(30).map(({ name }) => [name, 0]));
    let overdue = 0;
    let asked = 0;
    for (let tick = 1; tick <= 2000; tick++) {
      for (const name of electedOf(candidates, 30, `tick ${tick}`)) if (last.has(name)) last.set(name, tick);
      if (tick <= patience) continue;
      asked += last.size;
      for (const seen of last.values()) if (tick - seen >= patience) overdue += 1;
    }
    expect(overdue / asked).toBeLessThan(2e-4);
  });
});

describe("the time from which an address is elected", () => {
  // Measured on a network of go-zenon v0.0.8: when the address appeared, and where its tick began.
  test.each([
    ["06:14:01", "06:20:41"],
    ["06:23:51", "06:30:41"],
  ])("is, for an address found at %s, %s", (seen, from) => {
    expect(computeElectedFrom(at(seen), genesis, network)).toBe(at(from));
  });

  test("takes the next tick for an address found at the end of a tick", () => {
    expect(computeElectedFrom(at("06:15:25"), genesis, network)).toBe(at("06:25:41"));
    expect(computeElectedFrom(at("06:15:20"), genesis, network)).toBe(at("06:25:41") - 5 * 60_000);
  });

  test("is two ticks and the confirmation without a genesis, never too early", () => {
    expect(computeElectedFrom(at("06:14:01"), undefined, network)).toBe(at("06:24:21"));
    expect(computeTickMs(network)).toBe(300_000);
  });
});

test("describes a Pillar's rank and chance", () => {
  const words = (standing: Parameters<typeof formatStanding>[0]) => formatStanding(standing, network);
  expect(words({ pillars: 3, place: 2 })).toBe("one of 3 Pillars, all elected in each tick of 5 min");
  expect(words({ pillars: 100, place: 71 })).toBe("place 71 of 100 by weight, elected in 18 of 100 ticks of 5 min");
  expect(words({ pillars: 100 })).toBe(
    "one of 100 Pillars, its weight not counted yet, elected in 18 to 59 of 100 ticks of 5 min",
  );
  expect(words(undefined)).toBe("the number of Pillars is unknown");
});
