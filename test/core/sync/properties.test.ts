import fc from "fast-check";
import { expect, test } from "vitest";
import { decideSynced, noEvidence } from "../../../core/sync/decideSynced";
import { judgeObservation } from "../../../core/sync/judgeObservation";
import { compareReferences } from "../../../core/sync/references";
import { atHeight, seenFrom, silent } from "../chain/readings";

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
      const { agrees } = compareReferences(mine, seenFrom(mine, readingsOf(heights)), tolerance);
      if (mine < truth - 2 * tolerance || mine > truth + 2 * tolerance) expect(agrees).toBe(false);
    }),
  );
});

test("with an odd number of references, a minority of liars never stops a right height", () => {
  fc.assert(
    fc.property(crowd, ({ truth, heights }) => {
      fc.pre(heights.length % 2 === 1);
      expect(compareReferences(truth, seenFrom(truth, readingsOf(heights)), tolerance).agrees).toBe(true);
    }),
  );
});

test("references agree only with a majority of all, also if some are silent", () => {
  const one = fc.option(fc.nat({ max: 100 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 7 }), fc.nat({ max: 100 }), (some, mine) => {
      const readings = some.map((said) => (said === undefined ? silent("r") : atHeight("r", said)));
      const close = some.filter((said) => said !== undefined && Math.abs(said - mine) <= 2 * tolerance);
      if (compareReferences(mine, seenFrom(mine, readings), tolerance).agrees)
        expect(close.length * 2).toBeGreaterThan(readings.length);
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
