import { expect, test } from "vitest";
import * as elections from "../../../core/chain/elections.ts";

const network = { momentum: 10_000, tickMomentums: 30 };

// The shares as go-zenon's own algorithm gave them in 20,000 ticks.
test.each([
  [30, 30, 1],
  [60, 1, 0.67],
  [60, 60, 0.33],
  [80, 80, 0.23],
  [100, 100, 0.17],
])("the chance of election is, with %i Pillars, at rank %i: %f", (pillars, place, share) => {
  expect(Math.abs(elections.computeElectionChance({ pillars, place }, network) - share)).toBeLessThan(0.01);
});

test("the chance is the top's without a counted weight, and that of the rest at the edge of the top ranks", () => {
  const of = (place?: number) => elections.computeElectionChance({ pillars: 100, place }, network).toFixed(2);
  // Weights change.
  expect([undefined, 25, 26, 30, 31].map(of)).toEqual(["0.59", "0.59", "0.18", "0.18", "0.18"]);
});

test.each([
  [1, 4],
  [0.588, 11],
  [15 / 85, 48],
])("at a chance of %f a slot is overdue after %i ticks", (chance, ticks) => {
  expect(elections.computeMaxTicksWithoutSlot(chance)).toBe(ticks);
  expect((1 - chance) ** ticks).toBeLessThan(1e-4);
});
