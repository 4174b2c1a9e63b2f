import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideMoment, findFreeUntil, slotTimeoutMs } from "../../../core/upgrade/freeSlot";
import { electedOf } from "../../../lab/doubles/chain/elections";

const network = { momentum: 10_000, tickMomentums: 30 };
const genesis = 1_600_000_000_000;
const tick = 300_000;

/** Returns the slots of a Pillar in some future ticks, in unix milliseconds, as the network elects them. */
function slotsOf(pillars: number, place: number, seed: string, ticks = 4): number[] {
  const all = Array.from({ length: pillars }, (_, i) => ({ name: `p${i}`, weight: BigInt(1000 - i) }));
  return Array.from({ length: ticks }, (_, number) =>
    electedOf(all, network.tickMomentums, `${seed} ${number}`).flatMap((name, slot) =>
      name === `p${place}` ? [genesis + number * tick + slot * network.momentum] : [],
    ),
  ).flat();
}

const world = fc.record({
  pillars: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 80, max: 120 })),
  place: fc.nat(200),
  seed: fc.string({ maxLength: 5 }),
  at: fc.integer({ min: 0, max: 3 * tick }),
});

describe("a time without a slot", () => {
  test("holds in every future schedule", () => {
    let free = 0;
    fc.assert(
      fc.property(world, ({ pillars, place, seed, at }) => {
        const slots = slotsOf(pillars, place % pillars, seed);
        const now = genesis + at;
        // A momentum is made at the beginning of its slot, and is in the chain after it.
        const produced = slots.filter((slot) => slot <= now);
        const until = findFreeUntil({ now, genesis, pillars, produced }, network);
        if (until > now) free++;
        expect(slots.filter((slot) => slot > now && slot < until)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(free).toBeGreaterThan(100);
  });

  test("comes within two ticks if the Pillar is elected early in one of them", () => {
    const slots = slotsOf(100, 3, "a", 8);
    const needed = 40_000;
    for (let number = 0; number < 6; number++) {
      const begin = genesis + number * tick;
      const own = slots.filter((slot) => slot >= begin && slot < begin + 2 * tick);
      const isFree = own.some((slot) => begin + Math.ceil((slot - begin + 1) / tick) * tick - slot > needed + 10_000);
      let found: number | undefined;
      for (let now = begin; now < begin + 2 * tick && found === undefined; now += 1000) {
        const facts = { now, genesis, pillars: 100, produced: slots.filter((slot) => slot <= now) };
        const moment = decideMoment(facts, network, needed, now - begin);
        if (typeof moment === "number") found = now;
      }
      if (isFree) expect(found).toBeDefined();
      if (found !== undefined)
        expect(slots.filter((slot) => slot > (found ?? 0) && slot < (found ?? 0) + needed)).toEqual([]);
    }
  });
});

describe("the moment of the swap", () => {
  const facts = { now: genesis + 100_000, genesis, pillars: 100, produced: [genesis + 90_000] };
  test.each([
    ["comes after the slot of a tick", facts, 30_000, 0, 200_000],
    ["waits if the rest of the tick is too short", facts, 200_001, 0, "wait"],
    ["waits for the slot of the tick", { ...facts, produced: [genesis - 10_000] }, 30_000, slotTimeoutMs - 1, "wait"],
    ["comes after ten minutes without a slot", { ...facts, produced: [] }, 30_000, slotTimeoutMs, "now"],
  ] as const)("%s", (_, given, needed, waited, moment) => {
    expect(decideMoment(given, network, needed, waited)).toEqual(moment);
  });
});
