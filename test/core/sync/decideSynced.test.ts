import { describe, expect, test } from "vitest";
import type { Observation } from "../../../core/chain/node.ts";
import type { EvidenceOptions, SyncDecision, SyncLookup } from "../../../core/sync/decideSynced.ts";
import { chainGap, decideSynced, noEvidence } from "../../../core/sync/decideSynced.ts";
import type { WitnessAnswers } from "../../../core/sync/judgeWitnesses.ts";
import { atHeight, block, seenFrom, silent } from "../chain/readings.ts";
import { answer, nodeTime, none } from "./looks.ts";

const options: EvidenceOptions = { confirmations: 1, confirmSpan: 0, tolerance: 20, isChainUnverified: true };
const good = answer(2, 1000, 1000, { newestAge: 3000 });
/** References at these heights, and a node at `own.height` on their chain or on another one. */
const saying = (heights: readonly number[], own = block(1000)): WitnessAnswers =>
  seenFrom(
    own.height,
    heights.map((height, i) => atHeight(`r${i}`, height)),
    { own: own.hash.charAt(0) },
  );
const usual = { readings: [], at: 0, clock: nodeTime };
const look = (observation: Observation, change: Partial<SyncLookup> = {}) => ({ ...usual, observation, ...change });
/** References at height 1000, each on its chain. */
const onChains = (...chains: string[]): WitnessAnswers => {
  const readings = chains.map((chain, i) => atHeight(`r${i}`, 1000, 3000, chain));
  return seenFrom(1000, readings);
};

/** A verdict, its reason in words. */
type Told = Omit<SyncDecision, "why"> & { readonly why: string };

/** Returns the verdict on the last of these lookups. */
function weighAll(looks: readonly SyncLookup[], change: Partial<EvidenceOptions> = {}): Told {
  let weighed: SyncDecision | undefined;
  for (const each of looks) weighed = decideSynced(weighed?.evidence ?? noEvidence, each, { ...options, ...change });
  if (weighed === undefined) throw new Error("no look");
  return { ...weighed, why: weighed.why.text };
}

const reached = "height 1000 reached target 1000";
const fresh = "newest momentum is fresh by both clocks";
const agrees = "height agrees with the references' median";
const noReferences = "height agrees with independent nodes (sync.references)";
const noTarget = "whether the node reached its target: the node reports no target";
const confirmed = "the chain is confirmed by r0, r1";
const all = [reached, fresh, agrees, confirmed];
const apart = { clock: nodeTime - 125_000 };
const apartWords =
  "the node says synced; the clocks of the host and of this machine are 125 s apart, so only references can confirm it";

test.each<[string, SyncLookup, Partial<Told>]>([
  ["no answer", look(none("refused")), { synced: false, good: false, why: "refused", proved: [], unproved: [] }],
  ["a fresh momentum", look(good), { synced: true, proved: [reached, fresh], unproved: [noReferences, chainGap] }],
  [
    "a fresh momentum, no target",
    look(answer(2, 1000, 0, { newestAge: 3000 })),
    { synced: true, proved: [fresh], unproved: [noTarget, noReferences, chainGap] },
  ],
  ["no newest momentum", look(answer(2, 1000, 1000), saying([1000, 1001])), { synced: false, good: false }],
  ["references that agree", look(good, saying([1001, 1002])), { synced: true, notes: [], proved: all, unproved: [] }],
  [
    "references that contradict",
    look(good, saying([2000, 2000])),
    { synced: false, good: false, why: "the node says synced at 1000, the references are at 2000" },
  ],
  ["clocks that differ", look(good, apart), { synced: false, good: false, why: apartWords }],
  ["clocks that differ, one reference", look(good, { ...apart, ...saying([1000]) }), { synced: false, good: false }],
  [
    "clocks that differ, and references that agree",
    look(good, { ...apart, ...saying([1000, 1000]) }),
    { synced: true, why: apartWords, unproved: ["that the newest momentum is fresh (the clocks differ)"] },
  ],
])("weighs a single lookup: %s", (_what, seen, weighed) => {
  expect(weighAll([seen])).toMatchObject(weighed);
});

describe("the streak of good lookups", () => {
  const at = (seconds: number, observation: Observation = good) => look(observation, { at: seconds * 1000 });
  const close = answer(2, 999, 1000, { newestAge: 3000 });

  test("needs the configured number of lookups, and their span", () => {
    expect(weighAll([at(0), at(2)], { confirmations: 3 })).toMatchObject({ synced: false, evidence: { streak: 2 } });
    expect(weighAll([at(0), at(2), at(4)], { confirmations: 3 })).toMatchObject({ synced: true });
    expect(weighAll([at(0), at(3.999)], { confirmSpan: 4000 }).synced).toBe(false);
    expect(weighAll([at(0), at(3.999), at(4)], { confirmSpan: 4000 }).synced).toBe(true);
  });

  test("ends with a bad lookup", () => {
    expect(weighAll([at(0), at(2), at(4, none())]).evidence).toEqual(noEvidence);
    expect(weighAll([at(0), at(2), at(4, none()), at(6)]).evidence).toEqual({ streak: 1, since: 6000 });
  });

  test("neither grows nor ends while the node adds a momentum", () => {
    const looks = [at(0), at(2, close), at(4)];
    expect(weighAll([...looks, at(6, close), at(8)], { confirmations: 3 })).toMatchObject({ synced: true });
    expect(weighAll(looks.slice(0, 2))).toMatchObject({ synced: false, good: false, evidence: { streak: 1 } });
    expect(weighAll([at(0, close)])).toMatchObject({ why: "the node says synced, below its own target" });
  });
});

describe("the chain of the node", () => {
  const other = "the node is on another chain than the references: its momentum";
  const alone: WitnessAnswers = { readings: [], own: { newest: block(1000) } };
  /** Returns the node and an old host alone, whose newest momentum is on this chain. */
  const oldHost = (height = 1003, chain = "h"): WitnessAnswers => {
    const { readings, own } = seenFrom(1000, [atHeight("old", height, 3000, chain)], { theirs: [chain] });
    return { readings: [], oldHost: readings[0], own };
  };
  const recorded = (height: number, chain = "h"): WitnessAnswers => ({
    readings: [],
    recorded: block(height, chain),
    own: { newest: block(1000), older: [block(height)] },
  });
  const farBehind = "confirms no chain: it is far behind the node, at height 639";
  const verified = { isChainUnverified: undefined };

  test.each<[string, WitnessAnswers, string]>([
    ["one reference", saying([1003]), "r0"],
    ["the old host", oldHost(), "old"],
    ["a recorded momentum", recorded(900), "the momentum that this stack recorded"],
  ])("is confirmed by %s, which proves no height", (_, seen, name) => {
    const { synced, proved, unproved } = weighAll([look(good, seen)], verified);
    expect([synced, unproved]).toEqual([true, [noReferences]]);
    expect(proved).toEqual([reached, fresh, `the chain is confirmed by ${name}`]);
  });

  test.each<[string, WitnessAnswers, readonly string[]]>([
    ["no witness", alone, []],
    ["a recorded momentum above the node", { ...alone, recorded: block(1001) }, []],
    ["a reference that is an hour behind", saying([639]), [`r0 ${farBehind}`]],
    ["such an old host", oldHost(639), [`old ${farBehind}`]],
    ["such a recorded momentum", recorded(639), [`the momentum that this stack recorded ${farBehind}`]],
    [
      "silent witnesses",
      { ...alone, readings: [silent("r")], oldHost: silent("old", "no answer") },
      ["r is left out: ECONNREFUSED", "old is left out: no answer"],
    ],
  ])("is not confirmed by %s", (_, seen, words) => {
    const { notes, ...weighed } = weighAll([look(good, seen)], verified);
    expect(weighed).toMatchObject({
      synced: false,
      good: false,
      why: "the node says synced, and no witness confirms its chain yet: a reference or the old host must answer",
    });
    expect(notes).toEqual(words);
    expect(weighAll([look(good, seen)])).toMatchObject({ synced: true, unproved: expect.arrayContaining([chainGap]) });
  });

  test.each<[string, WitnessAnswers]>([
    ["all references", { ...saying([990, 990]), own: { newest: block(1000) } }],
    ["two of three", { ...saying([990, 990, 1003]), own: { newest: block(1000) } }],
  ])("can't be compared if the node does not show the momentums of %s, acknowledged or not", (_, seen) => {
    for (const isChainUnverified of [undefined, true])
      expect(weighAll(Array(100).fill(look(good, seen)), { isChainUnverified })).toMatchObject({
        synced: false,
        why: "the node does not show its momentum 990, so it can't be compared with the references' chain",
      });
  });

  test.each<[string, WitnessAnswers, string]>([
    ["two as high", saying([1000, 1000], block(1000, "f")), "1000 is f1000, that of r0 is h1000 (so say 2 of them)"],
    ["references far above", saying([6000, 6001], block(1000, "f")), "1000 is f1000, that of r0 is h1000"],
    ["references far below", saying([4000, 4000], block(9000, "f")), "4000 is f4000, that of r0 is h4000"],
    ["the only reference that answers", saying([1003], block(1000, "f")), "1000 is f1000, that of r0 is h1000"],
    ["two of four references", onChains("h", "h", "f", "f"), "1000 is h1000, that of r2 is f1000"],
    ["the old host", oldHost(1003, "f"), "1000 is h1000, that of old is f1000"],
    ["the recorded momentum", recorded(900, "f"), "900 is h900, that of the momentum that this stack recorded is f900"],
  ])("is refused if it is not that of %s, acknowledged or not", (_, seen, words) => {
    for (const isChainUnverified of [undefined, true]) {
      const weighed = weighAll(Array(100).fill(look(good, seen)), { isChainUnverified });
      expect(weighed).toMatchObject({ synced: false, good: false, evidence: noEvidence });
      expect(weighed.why).toContain(`${other} ${words}`);
    }
  });

  test.each<[string, WitnessAnswers, string, readonly string[]]>([
    ["one of two references", onChains("h", "f"), "r1", ["r0 has the node's momentum 1000"]],
    [
      "a reference and not of the old host",
      { ...oldHost(1003, "f"), readings: saying([1003]).readings },
      "old",
      ["r0 has the node's momentum 1000"],
    ],
    [
      "the old host and not of the recorded momentum",
      { ...oldHost(), recorded: block(1000, "f") },
      "the momentum that this stack recorded",
      ["old has the node's momentum 1000"],
    ],
  ])("is in doubt, and not known to be another one, if it is that of %s", (_, seen, name, notes) => {
    const { why, ...weighed } = decideSynced(noEvidence, look(good, seen), { ...options, ...verified });
    expect(weighed).toMatchObject({ synced: false, good: false, notes });
    expect(why).toEqual({
      kind: "contradicted",
      text: `the witnesses disagree on the node's chain: its momentum 1000 is h1000, that of ${name} is f1000`,
    });
  });

  test.each<[string, WitnessAnswers, string]>([
    ["most references", onChains("h", "h", "f"), "r2"],
    [
      "two references and not of the old host",
      { ...oldHost(1003, "f"), readings: saying([1003, 1003]).readings },
      "old",
    ],
    ["one of two references and of the old host", { ...oldHost(), readings: onChains("h", "f").readings }, "r1"],
    [
      "two references and not of the recorded momentum",
      { ...recorded(900, "f"), readings: saying([1000, 1000]).readings },
      "the momentum that this stack recorded",
    ],
  ])("may be that of %s: the other witness is named", (_, seen, name) => {
    expect(weighAll([look(good, seen)], verified)).toMatchObject({
      synced: true,
      notes: [expect.stringContaining(`${name} is left out: it is on another chain`)],
    });
  });
});
