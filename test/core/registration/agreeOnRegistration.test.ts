import { expect, test } from "vitest";
import type { Block } from "../../../core/chain/sameChain.ts";
import { agreeOnPillar, type PillarReading } from "../../../core/registration/agreeOnRegistration.ts";
import { silent } from "../chain/readings.ts";
import { chainOf, old, ours, says } from "./chains.ts";

/** Returns the address on which nodes agree, or why there is none, and the notes. */
const agree = (...readings: PillarReading[]) => {
  const found = agreeOnPillar(readings);
  const word = found.kind === "settled" ? (found.pillar?.producerAddress ?? null) : found.why;
  return [word, ...found.notes];
};
const evil = chainOf([old, old, old], { name: "evil" });
const fork = chainOf([old, old], { first: 6000, name: "evil" });
const common: readonly Block[] = [{ height: 1002, hash: "evil-1002" }];
const far = (name: string, older = common) => ({ ...says(name, ours, fork), older });
const aside = "is left out: it is on another chain than the others, by momentum 1002";
const outvoted = `node contradicts the others: it says ${old}`;
const contradiction = `the nodes contradict each other (right after an update in the wallet they do so for some seconds): node says ${ours}, ref1 says that nobody registered it`;
const apart = "the nodes are on different chains: momentum 1002 is lab-1002 at";

test.each<[string, PillarReading[], (string | null)[]]>([
  ["nobody", [], ["no node was asked"]],
  ["a single node", [says("node", ours)], [ours]],
  ["a single node: nobody registered it", [says("node", null)], [null]],
  ["a silent node", [silent("node")], ["node is left out: ECONNREFUSED", "node is left out: ECONNREFUSED"]],
  ["two that contradict each other", [says("node", ours), says("ref1", null)], [contradiction]],
  ["one that is outvoted", [says("node", old), says("ref1", ours), says("ref2", ours)], [ours, outvoted]],
  ["two on two chains", [says("node", ours), says("ref1", old, evil)], [`${apart} node, evil-1002 at ref1`]],
  ["one on another chain", [says("node", ours), says("ref1", old, evil), says("ref2", ours)], [ours, `ref1 ${aside}`]],
  ["two some momentums apart", [says("node", ours), says("ref1", ours, chainOf([old, old, old, old, old]))], [ours]],
  ["two far ahead on another chain", [says("node", old), far("ref1"), far("ref2")], [ours, `node ${aside}`]],
  ["one far ahead without the momentum", [says("node", old), far("ref2", [])], [`${apart} node, not shown at ref2`]],
])("agrees on what is said by %s", (_what, readings, words) => {
  expect(agree(...readings)).toEqual(words);
});

test("a node that is asked at two addresses has one vote, unless what it says differs", () => {
  const twin = (name: string, registered: string) => ({ ...says(name, registered), id: "a" });
  expect(agree(says("node", ours), twin("ref1", old), twin("ref2", old))[0]).toContain("contradict each other");
  const why = "ref1 is left out: it is the same node as node, by its id. Set another node's RPC in sync.references";
  expect(agree(twin("node", ours), twin("ref1", ours), says("ref2", old))).toEqual([
    expect.stringContaining("contradict each other"),
    why,
  ]);
  const liar = { ...says("liar", old), id: "b" };
  expect(agree(says("node", ours), liar, { ...says("ref", ours), id: "b" })[0]).toBe(ours);
});

// All of one word with at most as many liars as honest ones less one.
test.each([1, 2, 3, 4])("%i liars never outvote one more that is honest, wherever they stand", (liars) => {
  const all = [
    ...Array.from({ length: liars }, (_, i) => says(`liar${i}`, old)),
    ...Array.from({ length: liars + 1 }, (_, i) => says(`honest${i}`, ours)),
  ];
  for (let turn = 0; turn < all.length; turn += 1) {
    const turned = [...all.slice(turn), ...all.slice(0, turn)];
    expect(agree(...turned)[0]).toBe(ours);
    expect(agree(...turned.filter(({ client }) => client.name !== "honest0"))[0]).toContain("contradict");
  }
});
