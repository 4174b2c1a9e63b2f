import { describe, expect, test } from "vitest";
import type { Block } from "../../../core/chain/sameChain";
import { agreeOnPillar } from "../../../core/registration/agreeOnRegistration";
import type { PillarReading } from "../../../core/registration/pillarReadings";
import { silent } from "../chain/readings";
import { chainOf, old, ours, says } from "./chains";

const minutes = 60_000;
const word = (readings: readonly PillarReading[]) => {
  const found = agreeOnPillar(readings);
  return found.kind === "settled" ? (found.pillar?.producerAddress ?? null) : found.why.text;
};

describe("a single source", () => {
  test("is believed, even if it says that the Pillar is not registered", () => {
    expect(word([says("node", ours)])).toBe(ours);
    expect(word([says("node", null)])).toBe(null);
  });

  test("is left out with its reason", () => {
    const reading = silent("node");
    const note = { key: "node ECONNREFUSED", text: "node is left out: ECONNREFUSED" };
    expect(agreeOnPillar([reading])).toEqual({ kind: "unknown", why: note, notes: [note] });
    expect(word([reading])).toBe("node is left out: ECONNREFUSED");
  });
});

test("is unknown without a source", () => {
  expect(word([])).toBe("no node was asked");
});

test("leaves out a stale node with a stale clock", () => {
  const stale = says("node", old, chainOf([old], { age: 9 * minutes }));
  const found = agreeOnPillar([stale, says("ref1", ours)]);
  expect(found).toMatchObject({ kind: "settled", pillar: { producerAddress: ours } });
  expect(found.notes.map(({ text }) => text)).toEqual([
    "node is left out: its newest momentum is 9 min older than the others'",
  ]);
});

describe("contradicting sources", () => {
  test("decide nothing if there are two, and both are named", () => {
    expect(word([says("node", ours), says("ref1", old)])).toBe(
      `the nodes contradict each other (right after an update in the wallet they do so for some seconds): node says ${ours}, ref1 says ${old}`,
    );
    expect(word([says("node", ours), says("ref1", null)])).toContain("ref1 says that nobody registered it");
  });

  test("are outvoted two to one, and the third is named", () => {
    const found = agreeOnPillar([says("node", old), says("ref1", ours), says("ref2", ours)]);
    expect(found).toMatchObject({
      kind: "settled",
      pillar: { producerAddress: ours },
      by: [{ client: { name: "ref1" } }, { client: { name: "ref2" } }],
    });
    expect(found.notes.map(({ text }) => text)).toEqual([`node contradicts the others: it says ${old}`]);
  });

  test("need a majority about the chain", () => {
    const wrong = chainOf([old, old, old], { name: "evil" });
    expect(word([says("node", ours), says("ref1", old, wrong)])).toBe(
      "the nodes are on different chains: momentum 1002 is lab-1002 at node, evil-1002 at ref1",
    );
    const found = agreeOnPillar([says("node", ours), says("ref1", old, wrong), says("ref2", ours)]);
    expect(found).toMatchObject({ kind: "settled", pillar: { producerAddress: ours } });
    expect(found.notes.map(({ text }) => text)).toEqual([
      "ref1 is left out: it is on another chain than the others, by momentum 1002",
    ]);
  });

  test("may be a few momentums apart on the same chain", () => {
    const ahead = chainOf([old, old, old, old, old]);
    expect(word([says("node", ours), says("ref1", ours, ahead)])).toBe(ours);
  });

  test("are left out if they are far ahead and do not show the common momentum", () => {
    const fork = chainOf([old, old], { first: 6000, name: "evil" });
    const far = (older: readonly Block[]) => ["ref1", "ref2"].map((name) => ({ ...says(name, ours, fork), older }));
    const found = agreeOnPillar([says("node", old), ...far([{ height: 1002, hash: "evil-1002" }])]);
    expect(found).toMatchObject({ kind: "settled", pillar: { producerAddress: ours } });
    expect(found.notes.map(({ text }) => text)).toEqual([
      "node is left out: it is on another chain than the others, by momentum 1002",
    ]);
    expect(word([says("node", old), ...far([]).slice(1)])).toBe(
      "the nodes are on different chains: momentum 1002 is lab-1002 at node, not shown at ref2",
    );
    expect(agreeOnPillar([says("node", old), ...far([])]).notes.map(({ text }) => text)).toEqual([
      "node is left out: it does not return the momentums from 1002 to 1002, though it has them",
    ]);
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
      expect(word(turned.filter(({ client }) => client.name !== "honest0"))).toContain("contradict");
    }
  });
});
