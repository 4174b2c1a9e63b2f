import { expect, test } from "vitest";
import { isMachines, judge, type Played } from "../lab/demo/judgement.ts";

const noon = Date.parse("2026-01-01T12:00:00Z");
const slot = (seconds: number, producer: string, nodes: string[]) => {
  const at = noon + seconds * 1000;
  return { height: 1, at, pillar: "Anvil", producer, nodes };
};
const played = (changes: Partial<Played> = {}): Played => ({
  pillar: "Anvil",
  addresses: { old: "z1qold", fresh: "z1qnew" },
  slotMs: 1000,
  stalls: [],
  slots: [slot(0, "z1qold", ["old"]), slot(4, "z1qold", ["old"]), slot(8, "z1qnew", ["host1"])],
  doubleProduced: 0,
  doubleSigned: 0,
  withoutSigner: 1900,
  ...changes,
});
const withMissed = [...played().slots, slot(12, "z1qnew", [])];

test("the demo's verdict: is good for a journey without a fault", () => {
  expect(judge(played())).toEqual({
    isGood: true,
    lines: [
      "  Anvil had 3 slots: 2 produced by the old host, 1 by the new one, 0 missed",
      "  two producers at once: never",
      "  two orchestrators at once: never",
      "  the bridge was without this orchestrator for 1.9 s, from its last sign of life there to the first here",
      "    (the report counts from the program's stop to the first answer it had)",
      "  So it went well: the exit code is 0.",
    ],
  });
});

test("the demo's verdict: a missed slot is the program's fault, and the demo says why it fails", () => {
  const { isGood, lines } = judge(played({ slots: withMissed }));
  expect(isGood).toBe(false);
  expect(lines.at(-1)).toContain("the exit code is 1: Anvil missed 1 of its slots, at 12:00:12 UTC.");
});

test("the demo's verdict: a slot missed while the machine was stalled is the machine's fault, and no error", () => {
  const stalls = [{ from: noon + 9500, to: noon + 12_500 }];
  const { isGood, lines } = judge(played({ slots: withMissed, stalls }));
  expect(isGood).toBe(true);
  expect(lines.slice(0, 2)).toEqual([
    "  Anvil had 4 slots: 2 produced by the old host, 1 by the new one, 1 missed",
    "    of these 1 by this machine, at 12:00:12 UTC: it was so busy that a node of the lab was not run for longer than a slot",
  ]);
});

test("the demo's verdict: a stall shorter than a slot, or at another time, explains no missed slot", () => {
  const at = noon + 12_000;
  const of = (from: number, to: number) => isMachines({ at }, [{ from: at + from, to: at + to }], 1000);
  expect([of(-900, 0), of(100, 3000), of(-9000, -3100)]).toEqual([false, false, false]);
  expect([of(-1100, 0), of(-100, 3000), of(-9000, -2900)]).toEqual([true, true, true]);
});

test.each<[string, Partial<Played>, string]>([
  ["two producers", { doubleProduced: 2 }, "two nodes produced with one key at once"],
  ["two orchestrators", { doubleSigned: 1 }, "two orchestrators were at work with one key at once"],
  ["no production here", { slots: played().slots.slice(0, 2) }, "the new host produced nothing for Anvil"],
])("the demo's verdict: is bad for %s", (_what, changes, fault) => {
  const { isGood, lines } = judge(played(changes));
  expect([isGood, lines.at(-1)]).toEqual([false, `  So it did not go well, and the exit code is 1: ${fault}.`]);
});
