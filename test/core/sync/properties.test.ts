import fc from "fast-check";
import { expect, test } from "vitest";
import { parseMomentum, parseNodeResult, parseSyncInfo } from "../../../core/chain/node";
import { decideSynced, noEvidence } from "../../../core/sync/decideSynced";
import { judgeObservation } from "../../../core/sync/judgeObservation";
import { pollIntervalMs } from "../../../core/sync/pollInterval";
import { computeRate, computeTimeLeft, formatPercent } from "../../../core/sync/progress";
import { compareReferences } from "../../../core/sync/references";
import { atHeight, seenFrom, silent } from "../chain/readings";
import { answer } from "./looks";

const height = fc.nat({ max: 20_000_000 });
const body = fc.oneof(
  fc.string(),
  fc.json(),
  fc.record({ result: fc.jsonValue() }).map((envelope) => JSON.stringify(envelope)),
  fc.record({ error: fc.jsonValue() }).map((envelope) => JSON.stringify(envelope)),
);

/** Returns a parser's result, or the text of its error. @throws anything else that the parser throws */
function textOrValue<T>(parse: () => T): { value: T } | { text: string } {
  try {
    return { value: parse() };
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(TypeError);
    const { message } = error as Error;
    expect(message).not.toBe("");
    return { text: message };
  }
}

test("resultOf gives a result or an error with a text, whatever answers", () => {
  fc.assert(
    fc.property(fc.oneof(fc.constant(200), fc.integer({ min: 100, max: 599 })), body, (status, text) => {
      const found = textOrValue(() => parseNodeResult({ status, body: text }));
      if ("value" in found) expect(found.value).toEqual(JSON.parse(text).result);
    }),
  );
});

test("parseSyncInfo gives three heights or an error with a text, whatever the result is", () => {
  const near = fc.record(
    {
      state: fc.jsonValue(),
      currentHeight: fc.oneof(fc.double(), height),
      targetHeight: fc.oneof(fc.double(), height),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), near), (result) => {
      const found = textOrValue(() => parseSyncInfo(result));
      if ("text" in found) return;
      for (const value of Object.values(found.value)) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
    }),
  );
});

test("parseMomentum never throws", () => {
  const near = fc.record({ height: fc.jsonValue(), timestamp: fc.jsonValue(), hash: fc.jsonValue() });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), near), (result) => {
      const momentum = parseMomentum(result);
      const isWhole = (it: typeof momentum) => it && Number.isSafeInteger(it.height) && typeof it.hash === "string";
      expect(momentum === undefined || isWhole(momentum)).toBe(true);
    }),
  );
});

test("keeps a rate between the slowest and the fastest step, whatever the gaps", () => {
  const steps = fc.array(
    fc.record({ time: fc.integer({ min: 1, max: 600_000 }), gained: fc.nat({ max: 5000 }), gap: fc.boolean() }),
  );
  fc.assert(
    fc.property(steps, (all) => {
      let [at, stretch, reached] = [0, 0, 0];
      const samples = [{ at, height: reached, stretch }];
      for (const { time, gained, gap } of all) {
        [at, stretch, reached] = [at + time, stretch + (gap ? 1 : 0), reached + gained];
        samples.push({ at, height: reached, stretch });
      }
      const rates = all.filter(({ gap }) => !gap).map(({ time, gained }) => (gained * 1000) / time);
      const rate = computeRate(samples);
      if (rate === undefined) expect(rates).toEqual([]);
      else {
        expect(rate).toBeGreaterThanOrEqual(Math.min(...rates) - 1e-9);
        expect(rate).toBeLessThanOrEqual(Math.max(...rates) + 1e-9);
      }
    }),
  );
});

test("keeps time left, poll intervals and percent in their bounds", () => {
  fc.assert(
    fc.property(height, height, fc.option(fc.double({ noNaN: true }), { nil: undefined }), (current, target, rate) => {
      const left = computeTimeLeft(current, target, rate);
      expect(left === undefined).toBe(rate === undefined || rate <= 0.1);
      if (left !== undefined) expect(left).toBeGreaterThanOrEqual(0);
      const samples = [
        { at: 0, height: current - (rate ?? 0) * 10 },
        { at: 10_000, height: current },
      ];
      const pause = pollIntervalMs({ observation: answer(1, current, target), isNews: false, failures: 0, samples });
      expect(pause).toBeGreaterThanOrEqual(2000);
      expect(pause).toBeLessThanOrEqual(300_000);
      const percent = formatPercent(current, target);
      if (target === 0) expect(percent).toBeUndefined();
      else {
        expect(percent).toMatch(/^\d{1,3}\.\d$/);
        expect(Number(percent) === 100).toBe(current >= target);
      }
    }),
  );
});

test("lengthens the poll interval without an answer up to a limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.boolean(), (failures, unreachable) => {
      const observation = { kind: "none", reason: "refused", unreachable } as const;
      const pause = (count: number) => pollIntervalMs({ observation, isNews: false, failures: count, samples: [] });
      expect(pause(failures)).toBeGreaterThanOrEqual(2000);
      expect(pause(failures + 1)).toBeGreaterThanOrEqual(pause(failures));
      expect(pause(failures + 1)).toBeLessThanOrEqual(unreachable ? 30_000 : 5000);
    }),
  );
});

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
      const { verdict } = compareReferences(mine, seenFrom(mine, readingsOf(heights)), tolerance);
      if (mine < truth - 2 * tolerance || mine > truth + 2 * tolerance) expect(verdict).not.toBe("agrees");
    }),
  );
});

test("with an odd number of references, a minority of liars never stops a right height", () => {
  fc.assert(
    fc.property(crowd, ({ truth, heights }) => {
      fc.pre(heights.length % 2 === 1);
      expect(compareReferences(truth, seenFrom(truth, readingsOf(heights)), tolerance).verdict).toBe("agrees");
    }),
  );
});

test("references agree only with a majority of all, also if some are silent", () => {
  const one = fc.option(fc.nat({ max: 100 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 7 }), fc.nat({ max: 100 }), (some, mine) => {
      const readings = some.map((said) => (said === undefined ? silent("r") : atHeight("r", said)));
      const close = some.filter((said) => said !== undefined && Math.abs(said - mine) <= 2 * tolerance);
      if (compareReferences(mine, seenFrom(mine, readings), tolerance).verdict === "agrees")
        expect(close.length * 2).toBeGreaterThan(readings.length);
    }),
  );
});

test("counts no lookup with a state other than 2, and proves no node without its momentum alone", () => {
  const info = fc.record({ state: fc.nat({ max: 4 }), currentHeight: height, targetHeight: height });
  fc.assert(
    fc.property(info, fc.option(fc.integer({ min: -1e6, max: 1e6 }), { nil: undefined }), (seen, age) => {
      const now = Date.UTC(2026, 0, 2);
      const newest = age === undefined ? undefined : { height: seen.currentHeight, timestamp: now - age, hash: "ab" };
      const observation = { kind: "answer" as const, info: seen, newest, nodeTime: now };
      const weighed = decideSynced(
        noEvidence,
        { observation, readings: [], at: 0, clock: now },
        { confirmations: 1, confirmSpan: 0, tolerance, isChainUnverified: true },
      );
      expect(judgeObservation(observation, now).why.text).not.toBe("");
      if (seen.state !== 2) expect(weighed.good).toBe(false);
      expect(weighed.synced).toBe(
        seen.state === 2 && seen.currentHeight >= seen.targetHeight && age !== undefined && Math.abs(age) <= 120_000,
      );
    }),
  );
});
