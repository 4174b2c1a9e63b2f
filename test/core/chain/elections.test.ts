import { expect, test } from "vitest";
import * as elections from "../../../core/chain/elections";

const network = { momentum: 10_000, tickMomentums: 30 };

// The shares as go-zenon's own algorithm gave them in 20,000 ticks.
test.each([
  [30, 30, 1],
  [60, 1, 0.67],
  [60, 60, 0.33],
  [80, 80, 0.23],
  [100, 100, 0.17],
])("the chance of election is, with %i Pillars, at rank %i: %f", (pillars, place, share) => {
  const { least, most } = elections.computeElectionChance({ pillars, place }, network);
  expect(least).toBe(most);
  expect(Math.abs(least - share)).toBeLessThan(0.01);
});

test("the chance lies between both without a counted weight, and is that of the rest at the edge of the top ranks", () => {
  const { least, most } = elections.computeElectionChance({ pillars: 100 }, network);
  expect([least.toFixed(3), most.toFixed(3)]).toEqual(["0.176", "0.588"]);
  const of = (place: number) => elections.computeElectionChance({ pillars: 100, place }, network).least.toFixed(2);
  // Weights change.
  expect([of(25), of(26), of(30), of(31)]).toEqual(["0.59", "0.18", "0.18", "0.18"]);
});

test.each([
  [1, 4],
  [0.588, 11],
  [15 / 85, 48],
])("at a chance of %f a slot is overdue after %i ticks", (chance, ticks) => {
  expect(elections.computeMaxTicksWithoutSlot(chance)).toBe(ticks);
  expect((1 - chance) ** ticks).toBeLessThan(1e-4);
});

test.each([
  [{ pillars: 3, place: 2 }, "one of 3 Pillars, all elected in each tick of 5 min"],
  [{ pillars: 100, place: 71 }, "place 71 of 100 by weight, elected in 18 of 100 ticks of 5 min"],
  [{ pillars: 100 }, "one of 100 Pillars, its weight not counted yet, elected in 18 to 59 of 100 ticks of 5 min"],
  [undefined, "the number of Pillars is unknown"],
])("describes a Pillar's rank and chance: %j", (standing, words) => {
  expect(elections.formatStanding(standing, network)).toBe(words);
});
