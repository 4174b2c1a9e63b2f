import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../../core/chain/chain.ts";
import type { Produced } from "../../../core/chain/chainAnswers.ts";
import { countTick, type ProducerOwner, readProduction } from "../../../core/chain/production.ts";
import { isAnswered, type Reading } from "../../../core/chain/reading.ts";
import { clientNamed } from "./readings.ts";

const owners = new Map<string, ProducerOwner>([
  ["a", "old"],
  ["b", "new"],
  ["c", "other"],
]);
/** Momentums by the address of each slot, a second apart; a blank is an empty slot. */
function chainOf(slots: string): Produced[] {
  const all = [...slots].map((producer, slot) => ({ producer, timestamp: (slot + 1) * 1000, hash: `h${slot}` }));
  return all.filter(({ producer }) => producer !== " ").map((each, index) => ({ ...each, height: index + 1 }));
}
const exactly = (count: number) => ({ least: count, most: count });

describe("a tick", () => {
  const figures = (slots: string, pillars: number) => {
    const tick = countTick(chainOf(slots), 1000, owners, { tickMomentums: 6, pillars });
    return [tick.producedMomentums, tick.expectedSlots, tick.missedSlots];
  };
  test.each<[string, string, number, object, object, object]>([
    ["without an empty slot", "axyaxy", 3, { old: 2, new: 0, other: 0 }, exactly(2), exactly(0)],
    ["with an own missed slot", "axy xy", 3, { old: 1, new: 0, other: 0 }, exactly(2), exactly(1)],
    ["with another Pillar's missed slot", "ax ax ", 3, { old: 2, new: 0, other: 0 }, exactly(2), exactly(0)],
    ["of both hosts", "axybxy", 3, { old: 1, new: 1, other: 0 }, exactly(2), exactly(0)],
    ["of a third address", "cxycxy", 3, { old: 0, new: 0, other: 2 }, exactly(2), exactly(0)],
    ["with nothing own", " xy xy", 3, { old: 0, new: 0, other: 0 }, exactly(2), exactly(2)],
    [
      "of Pillars that do not divide it",
      "axyzx ",
      4,
      { old: 1, new: 0, other: 0 },
      { least: 1, most: 2 },
      { least: 0, most: 1 },
    ],
    ["of more Pillars than slots, produced", "axyz u", 70, { old: 1, new: 0, other: 0 }, exactly(1), exactly(0)],
    ["of more Pillars than slots, full", "vxyzwu", 70, { old: 0, new: 0, other: 0 }, exactly(0), exactly(0)],
    [
      "of more Pillars than slots, not full",
      "vxyz u",
      70,
      { old: 0, new: 0, other: 0 },
      { least: 0, most: 1 },
      { least: 0, most: 1 },
    ],
  ])("%s", (_what, slots, pillars, ...expected) => {
    expect(figures(slots, pillars)).toEqual(expected);
  });
});

describe("the production across a switch", () => {
  // Ticks of six slots; the switch comes in the fifth one, whose first own slot is missed.
  const slots = "axyaxyaxyaxyaxyaxyaxyaxy xybxybxybxybxybxybxybxybxyb";
  const epoch = 24_000;
  const client = (changes: Partial<ChainClient> = {}, all = chainOf(slots)) =>
    clientNamed("this host's node", {
      newest: async () => ({ momentum: all.at(-1) as Produced, clock: all.at(-1)?.timestamp ?? 0 }),
      momentums: async (from, count) => all.slice(from - 1, from - 1 + count),
      before: async (time) => all.findLast(({ timestamp }) => timestamp < time),
      standing: async () => ({ pillars: 3 }),
      paidEpochs: async () => [{ epoch: 1, expected: 8, produced: 7, givesAll: false }],
      id: async () => "",
      ...changes,
    });
  const ask = (node: ChainClient, times: { from: number; to?: number }) =>
    readProduction(
      {
        readInTurn: async <T extends object>(read: (client: ChainClient, role: "own") => Promise<Reading<T>>) => {
          const reading = await read(node, "own");
          if (isAnswered(reading)) return reading;
          throw new Error(reading.fault.why);
        },
      },
      { pillar: "Anvil", owners, ...times },
      { momentum: 1000, tickMomentums: 6, epoch },
    );

  test("has whole ticks from two before to two after, with the missed slot", async () => {
    const found = await ask(client(), { from: 26_000, to: 27_000 });
    expect(found).toMatchObject({
      source: "this host's node",
      tickSeconds: 6,
      pillars: 3,
      epochs: { first: 0, last: 1 },
    });
    expect(
      found.ticks.map(({ startAt, producedMomentums: by, missedSlots }) => [
        startAt.slice(17, 19),
        by.old,
        by.new,
        missedSlots.most,
      ]),
    ).toEqual([
      ["13", 2, 0, 0],
      ["19", 2, 0, 0],
      ["25", 0, 1, 1],
      ["31", 0, 2, 0],
      ["37", 0, 2, 0],
    ]);
    expect(found.total).toMatchObject({ expectedSlots: exactly(10), missedSlots: exactly(1) });
  });

  test("leaves out the running tick, and the time before the first one", async () => {
    const found = await ask(client(), { from: 2000 });
    expect(found.ticks).toHaveLength(8);
    expect(found.ticks[0]?.startAt).toBe("1970-01-01T00:00:01.000Z");
  });

  test("has the paid epochs only if all are paid", async () => {
    expect((await ask(client(), { from: 26_000, to: 27_000 })).paidEpochs).toBeUndefined();
    expect((await ask(client(), { from: 40_000, to: 41_000 })).paidEpochs).toMatchObject([{ epoch: 1, produced: 7 }]);
  });

  test.each<[string, Partial<ChainClient>, Produced[] | undefined, string]>([
    [
      "a Pillar that the node does not list",
      { standing: async () => undefined },
      undefined,
      "it does not list the Pillar Anvil",
    ],
    [
      "a missing momentum",
      { momentums: async (from) => (from === 1 ? chainOf("a") : []) },
      undefined,
      "it does not return the momentums",
    ],
    ["a chain whose first tick has not passed", {}, chainOf("axy"), "no whole tick has passed yet"],
  ])("is unknown with the reason: %s", async (_what, changes, all, why) => {
    await expect(ask(client(changes, all), { from: 20_000 })).rejects.toThrow(why);
  });
});
