import fc from "fast-check";
import { expect, test } from "vitest";
import { decideSynced, noEvidence } from "../../../core/sync/decideSynced.ts";
import { judgeObservation } from "../../../core/sync/judgeObservation.ts";
import { judgeWitnesses, type WitnessReading } from "../../../core/sync/judgeWitnesses.ts";
import { atHeight, seenFrom, silent } from "../chain/readings.ts";

const height = fc.nat({ max: 20_000_000 });
const tolerance = 20;
/** Honest references around a height, and fewer liars, in any order. */
const crowd = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 100_000, max: 15_000_000 }))
  .chain(([honest, truth]) =>
    fc.record({
      truth: fc.constant(truth),
      heights: fc
        .tuple(
          fc.array(fc.integer({ min: truth - 5, max: truth }), { minLength: honest, maxLength: honest }),
          fc.array(height, { maxLength: honest - 1 }),
        )
        .chain(([true_, lies]) => fc.shuffledSubarray([...true_, ...lies], { minLength: true_.length + lies.length })),
    }),
  );
const readingsOf = (heights: readonly number[]) => heights.map((said, i) => atHeight(`r${i}`, said));

test("a minority of liars never makes a wrong height agree", () => {
  fc.assert(
    fc.property(crowd, height, ({ truth, heights }, mine) => {
      const { agrees } = judgeWitnesses(mine, seenFrom(mine, readingsOf(heights)), tolerance);
      if (mine < truth - 2 * tolerance || mine > truth + 2 * tolerance) expect(agrees).toBe(false);
    }),
  );
});

test("proves no node without state 2, its target, and a newest momentum that is fresh by both clocks", () => {
  const info = fc.record({ state: fc.nat({ max: 4 }), currentHeight: height, targetHeight: height });
  const age = fc.oneof(fc.integer({ min: -150_000, max: 150_000 }), fc.integer({ min: -1e9, max: 1e9 }));
  fc.assert(
    fc.property(info, fc.boolean(), age, age, (seen, isShown, hostAge, hereAge) => {
      const timestamp = Date.UTC(2026, 0, 2);
      const newest = isShown ? { height: seen.currentHeight, timestamp, hash: "ab" } : undefined;
      const observation = { kind: "answer" as const, info: seen, newest, nodeTime: timestamp + hostAge };
      const clock = timestamp + hereAge;
      const weighed = decideSynced(
        noEvidence,
        { observation, readings: [], at: 0, clock },
        { confirmations: 1, confirmSpan: 0, tolerance, isChainUnverified: true },
      );
      expect(judgeObservation(observation, clock).why.text).not.toBe("");
      const isFresh = isShown && Math.max(Math.abs(hostAge), Math.abs(hereAge)) <= 120_000;
      expect(weighed.synced).toBe(seen.state === 2 && seen.currentHeight >= seen.targetHeight && isFresh);
    }),
  );
});

const contradicted = (median: number) => `the node says synced at 1000, the references are at ${median}`;
const far = (name: string, height: number) => `${name} is at height ${height}, the others at`;
const at = (...heights: number[]) => heights.map((height, i) => atHeight("abcd".charAt(i), height));
const differ = "the references disagree among themselves:";

test.each<[string, WitnessReading[], boolean | string, string[]]>([
  ["none", [], false, []],
  ["all are down", [silent("a", "x"), silent("b", "y")], false, ["a is left out: x", "b is left out: y"]],
  ["a single one", at(1000), false, []],
  ["a single one at another height", at(1021), false, []],
  ["two agree", at(980, 1020), true, []],
  ["two agree at the tolerance", at(1020, 1020), true, []],
  ["two are above it", at(1021, 1021), contradicted(1021), []],
  ["two are below it", at(979, 979), contradicted(979), []],
  ["two differ", at(1000, 5000), false, [`${differ} a 1000, b 5000`]],
  ["a liar among three", at(1001, 9_000_000, 1003), true, [`${far("b", 9_000_000)} 1003`]],
  ["a liar that agrees with the node", at(5001, 1000, 5003), contradicted(5001), [`${far("b", 1000)} 5001`]],
  [
    "one lags",
    [atHeight("a", 1001, 3000), atHeight("b", 900, 120_001), atHeight("c", 1001, 120_000)],
    true,
    ["b is left out: it is behind: its newest momentum, 900, is 2 min old"],
  ],
  ["two of four differ", at(1000, 1000, 5000, 5000), false, [`${differ} a 1000, b 1000, c 5000, d 5000`]],
  [
    "two of five answer and agree, but may be liars",
    [...at(1000, 1000), silent("c", "x"), silent("d", "x"), silent("e", "x")],
    false,
    ["c", "d", "e"].map((name) => `${name} is left out: x`),
  ],
])("compares a height of 1000 with references, with a tolerance of 20: %s", (_what, readings, verdict, words) => {
  const { fault, agrees, notes } = judgeWitnesses(1000, seenFrom(1000, readings), 20);
  expect([fault?.text ?? agrees, notes]).toEqual([verdict, words]);
});
