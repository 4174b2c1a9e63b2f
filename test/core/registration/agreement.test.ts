import { describe, expect, test } from "vitest";
import { agree } from "../../../core/registration/agreement";
import type { SourceReading } from "../../../core/registration/source";
import { chainOf, old, ours, says } from "./chains";

const minutes = 60_000;
const word = (readings: readonly SourceReading[]) => {
  const found = agree(readings);
  return found.kind === "settled" ? (found.pillar?.producerAddress ?? null) : found.why;
};

describe("one source alone", () => {
  test("is believed, also that nobody registered the Pillar", () => {
    expect(word([says("node", ours)])).toBe(ours);
    expect(word([says("node", null)])).toBe(null);
  });

  test.each<[string, Partial<SourceReading>, string]>([
    ["no answer", { error: "ECONNREFUSED" }, "ECONNREFUSED"],
    [
      "a stale node",
      { recent: chainOf([old, old], { age: 5 * minutes }) },
      "it lags, its newest momentum is 5 min old",
    ],
    [
      "a time to come",
      { recent: chainOf([old, old], { age: -5 * minutes }) },
      "its newest momentum is 5 min ahead of its own clock",
    ],
    ["no momentums", { recent: [] }, "it tells no momentum"],
    [
      "a row with gaps",
      { recent: chainOf([old, old, old]).filter((_, i) => i !== 1) },
      "its momentums are not in a row",
    ],
  ])("is left out with its reason: %s", (_what, lie, why) => {
    expect(agree([says("node", ours, lie)])).toEqual({
      kind: "unknown",
      why: `node is left out: ${why}`,
      notes: [`node is left out: ${why}`],
    });
  });

  test("two minutes are not old yet", () => {
    expect(word([says("node", ours, { recent: chainOf([old], { age: 2 * minutes }) })])).toBe(ours);
  });
});

test("nobody to ask: nothing is known", () => {
  expect(word([])).toBe("nobody was asked");
});

test("a stale node with a stale clock is found out by the others", () => {
  const stale = says("node", old, {
    recent: chainOf([old], { age: 9 * minutes }),
    clock: Date.parse("2026-11-21T11:51:00Z"),
  });
  const found = agree([stale, says("ref1", ours)]);
  expect(found).toMatchObject({ kind: "settled", pillar: { producerAddress: ours } });
  expect(found.notes).toEqual(["node is left out: its newest momentum is 9 min older than the others'"]);
});

describe("who contradicts", () => {
  test("of two that differ, nobody knows which one lies: both are named", () => {
    expect(word([says("node", ours), says("ref1", old)])).toBe(
      `they contradict each other (right after an update in the wallet they do so for some seconds): node says ${ours}, ref1 says ${old}`,
    );
    expect(word([says("node", ours), says("ref1", null)])).toContain("ref1 says that nobody registered it");
  });

  test("of three, two decide, and the third is named", () => {
    const found = agree([says("node", old), says("ref1", ours), says("ref2", ours)]);
    expect(found).toMatchObject({
      kind: "settled",
      pillar: { producerAddress: ours },
      by: [{ name: "ref1" }, { name: "ref2" }],
    });
    expect(found.notes).toEqual([`node contradicts the others: it says ${old}`]);
  });

  test("about the chain: more than half decide, else nothing is known", () => {
    const wrong = { recent: chainOf([old, old, old], { name: "evil" }) };
    expect(word([says("node", ours), says("ref1", old, wrong)])).toBe(
      "they are on different chains: momentum 1002 is lab-1002 at node, evil-1002 at ref1",
    );
    const found = agree([says("node", ours), says("ref1", old, wrong), says("ref2", ours)]);
    expect(found).toMatchObject({ kind: "settled", pillar: { producerAddress: ours } });
    expect(found.notes).toEqual(["ref1 is left out: it is on another chain than the others, by momentum 1002"]);
  });

  test("who is a few momentums ahead or behind is on the same chain", () => {
    const ahead = { recent: chainOf([old, old, old, old, old]) };
    expect(word([says("node", ours), says("ref1", ours, ahead)])).toBe(ours);
  });

  // All of one word with at most as many liars as honest ones less one.
  test.each([1, 2, 3, 4])("%i liars never outvote one more that is honest, wherever they stand", (liars) => {
    const all = [
      ...Array.from({ length: liars }, (_, i) => says(`liar${i}`, old)),
      ...Array.from({ length: liars + 1 }, (_, i) => says(`honest${i}`, ours)),
    ];
    for (let turn = 0; turn < all.length; turn += 1) {
      const turned = [...all.slice(turn), ...all.slice(0, turn)];
      expect(word(turned)).toBe(ours);
      expect(word(turned.filter(({ name }) => name !== "honest0"))).toContain("contradict");
    }
  });
});
