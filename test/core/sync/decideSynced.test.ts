import { describe, expect, test } from "vitest";
import type { Observation } from "../../../core/chain/node";
import {
  chainGap,
  contradictionLimit,
  decideSynced,
  type EvidenceOptions,
  noEvidence,
  type SyncDecision,
  type SyncLookup,
} from "../../../core/sync/decideSynced";
import type { ReferenceAnswers } from "../../../core/sync/references";
import { atHeight, seenFrom } from "../chain/readings";
import { answer, nodeTime, none } from "./looks";

const options: EvidenceOptions = { confirmations: 1, confirmSpan: 0, tolerance: 20, isChainUnverified: true };
const good = answer(2, 1000, 1000, { newestAge: 3000 });
const untold = (height = 1000) => answer(2, height, height);
/** References at these heights, and a node at 1000 on their chain. */
const saying = (...heights: number[]): ReferenceAnswers =>
  seenFrom(
    1000,
    heights.map((height, i) => atHeight(`r${i}`, height)),
  );
/** References at these heights, and a node at `own` on a fork. */
const forked = (own: number, ...heights: number[]): ReferenceAnswers =>
  seenFrom(
    own,
    heights.map((height, i) => atHeight(`r${i}`, height)),
    { own: "f" },
  );
const look = (observation: Observation, change: Partial<SyncLookup> = {}): SyncLookup => ({
  observation,
  readings: [],
  at: 0,
  clock: nodeTime + (change.at ?? 0),
  ...change,
});

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
/** References at these heights confirm the chain, too. */
const confirmed = (count: number) =>
  `the chain is confirmed by ${Array.from({ length: count }, (_, i) => `r${i}`).join(", ")}`;
const agrees = "height agrees with the references' median";
const noReferences = "height agrees with independent nodes (sync.references)";
const notTold = "that the newest momentum is fresh (the node does not return it)";

describe("a single lookup", () => {
  test.each<[string, SyncLookup, Partial<Told>]>([
    ["no answer", look(none("refused")), { synced: false, good: false, why: "refused", proved: [], unproved: [] }],
    ["syncing", look(answer(1, 5, 10)), { synced: false, good: false, why: "syncing" }],
    [
      "a fresh momentum",
      look(good),
      {
        synced: true,
        good: true,
        why: "synced, newest momentum 3 s old",
        proved: [reached, fresh],
        unproved: [noReferences, chainGap],
      },
    ],
    [
      "a fresh momentum, no target",
      look(answer(2, 1000, 0, { newestAge: 3000 })),
      {
        synced: true,
        proved: [fresh],
        unproved: ["whether the node reached its target: the node reports no target", noReferences, chainGap],
      },
    ],
    [
      "references that agree",
      look(good, { ...saying(1001, 1002) }),
      { synced: true, notes: [], proved: [reached, fresh, agrees, confirmed(2)], unproved: [] },
    ],
    [
      "references that disagree",
      look(good, { ...saying(2000, 2000) }),
      { synced: false, good: false, why: "the node says synced at 1000, the references are at 2000" },
    ],
    [
      "references that differ do not block",
      look(good, { ...saying(1000, 2000) }),
      { synced: true, notes: [expect.objectContaining({ key: "differ r0,r1" })] },
    ],
    [
      "a single reference only warns",
      look(good, { ...saying(2000) }),
      {
        synced: true,
        notes: [{ key: "onlyOne r0", text: "only r0 answers, and is at height 2000" }],
        unproved: [noReferences],
      },
    ],
    [
      "this machine's clock is 121 s behind the host's",
      look(good, { clock: nodeTime - 121_000 }),
      {
        synced: false,
        good: false,
        why: "the clocks of the host and of this machine are 121 s apart, and no references decide whether the newest momentum is fresh",
      },
    ],
    [
      "this machine's clock differs, and references agree",
      look(good, { clock: nodeTime - 121_000, ...saying(1000, 1000) }),
      {
        synced: true,
        proved: [reached, agrees, confirmed(2)],
        unproved: ["that the newest momentum is fresh (the clocks differ)"],
      },
    ],
    [
      "clocks that differ by 120 s count, but the momentum is too old by this machine's",
      look(good, { clock: nodeTime + 120_000 }),
      { synced: false, good: true },
    ],
    ["a momentum is fresh at 117 s more than its 3 s", look(good, { clock: nodeTime + 117_000 }), { synced: true }],
    [
      "neither momentum nor references",
      look(untold()),
      {
        synced: false,
        good: true,
        why: "the node says synced; waiting for its target to advance, because nothing else proves it",
        unproved: [notTold, noReferences, chainGap],
      },
    ],
  ])("is weighed: %s", (_what, seen, weighed) => {
    expect(weighAll([seen])).toMatchObject(weighed);
  });
});

describe("the streak of good lookups", () => {
  const at = (seconds: number, change: Partial<SyncLookup> = {}) => look(good, { at: seconds * 1000, ...change });

  test("needs the configured number of lookups", () => {
    expect(weighAll([at(0), at(2)], { confirmations: 3 })).toMatchObject({ synced: false, evidence: { streak: 2 } });
    expect(weighAll([at(0), at(2), at(4)], { confirmations: 3 })).toMatchObject({
      synced: true,
      evidence: { streak: 3 },
    });
  });

  test("needs the configured span from the first to the last", () => {
    expect(weighAll([at(0), at(3.999)], { confirmSpan: 4000 }).synced).toBe(false);
    expect(weighAll([at(0), at(3.999), at(4)], { confirmSpan: 4000 }).synced).toBe(true);
  });

  test("ends with a bad lookup", () => {
    const weighed = weighAll([at(0), at(2), look(none(), { at: 4000 })]);
    expect(weighed.evidence).toMatchObject({ streak: 0, lastAt: 4000, lastClock: nodeTime + 4000 });
    expect(weighAll([at(0), at(2), look(none(), { at: 4000 }), at(6)]).evidence).toMatchObject({
      streak: 1,
      since: 6000,
    });
  });

  test.each([
    ["on by more than a minute", 60_001, 1],
    ["on by a minute", 60_000, 2],
    ["back by a minute", -60_000, 2],
    ["back by more", -60_001, 1],
  ])("restarts after a jump of the wall clock: %s", (_what, jump, streak) => {
    expect(weighAll([at(0), at(2, { clock: nodeTime + 2000 + jump })]).evidence.streak).toBe(streak);
  });
});

describe("a lookup while the node adds a momentum", () => {
  const good_ = (seconds: number) => look(good, { at: seconds * 1000 });
  const close = (seconds: number) => look(answer(2, 999, 1000, { newestAge: 3000 }), { at: seconds * 1000 });

  test("neither counts nor ends the streak", () => {
    expect(weighAll([good_(0), close(2), good_(4), close(6), good_(8)], { confirmations: 3 })).toMatchObject({
      synced: true,
      evidence: { streak: 3 },
    });
    expect(weighAll([good_(0), close(2)])).toMatchObject({ synced: false, good: true, evidence: { streak: 1 } });
  });

  test("ends the streak if that takes too long", () => {
    expect(weighAll([good_(0), close(2), close(10)]).evidence.streak).toBe(1);
    expect(weighAll([good_(0), close(2), close(10.001)])).toMatchObject({ good: false, evidence: { streak: 0 } });
  });

  test("starts no streak", () => {
    expect(weighAll([close(0)])).toMatchObject({ good: false, why: "the node says synced, below its own target" });
  });
});

describe("an answer that needs confirmation", () => {
  const noTarget = (seen: ReferenceAnswers) => look(answer(2, 1000, 0, { newestAge: 3000 }), { ...seen, ...apart });
  const apart = { clock: nodeTime - 121_000 };
  const unclear =
    "the clocks of the host and of this machine are 121 s apart, and no references decide whether the newest momentum is fresh";

  test("counts only with references that agree", () => {
    expect(weighAll([noTarget(saying(1000, 1001))])).toMatchObject({
      synced: true,
      why: "the node says synced, and the references confirm it",
      proved: [agrees, confirmed(2)],
    });
    expect(weighAll([noTarget(saying(1000))])).toMatchObject({ synced: false, good: false });
    expect(weighAll([noTarget({ readings: [] })])).toMatchObject({ synced: false, why: unclear });
  });

  test("never counts by heights alone, because a fork has them too", () => {
    const { readings } = saying(1000, 1001);
    expect(weighAll([look(answer(2, 1000, 0), { readings })])).toMatchObject({
      synced: false,
      good: false,
      why: "the node says synced with a target of 0, and does not return its newest momentum",
    });
    expect(weighAll([look(untold(), { readings })])).toMatchObject({
      synced: false,
      good: true,
      unproved: [notTold, noReferences, chainGap],
    });
  });
});

describe("references that contradict a fresh momentum", () => {
  const at = (milliseconds: number, seen = saying(2000, 2000), observation: Observation = good) =>
    look(observation, { at: milliseconds, clock: nodeTime, ...seen });
  const ages = (milliseconds: number) =>
    look(good, {
      at: milliseconds,
      clock: nodeTime + milliseconds,
      ...saying(2000, 2000),
      observation: later(milliseconds),
    });
  const later = (milliseconds: number): Observation => ({
    kind: "answer",
    info: { state: 2, currentHeight: 1000, targetHeight: 1000 },
    newest: { height: 1000, timestamp: nodeTime + milliseconds - 3000, hash: "ab" },
    nodeTime: nodeTime + milliseconds,
  });

  test("block for ten minutes", () => {
    expect(contradictionLimit).toBe(600_000);
    expect(weighAll([ages(0), ages(contradictionLimit - 1)])).toMatchObject({
      synced: false,
      evidence: { contradictedSince: 0 },
    });
    expect(weighAll([ages(0), ages(contradictionLimit)])).toMatchObject({
      synced: true,
      good: true,
      proved: [reached, fresh, confirmed(2)],
      unproved: [noReferences],
    });
  });

  test("restart the time after a lookup that agrees", () => {
    const agreeing = { ...ages(5000), ...saying(1000, 1000) };
    expect(weighAll([ages(0), agreeing]).evidence.contradictedSince).toBeUndefined();
    expect(weighAll([ages(0), agreeing, ages(6000), ages(contradictionLimit)])).toMatchObject({
      synced: false,
      evidence: { contradictedSince: 6000 },
    });
  });

  test("do not restart the time after a lookup without an answer", () => {
    const lost = look(none("refused"), { at: 5000 });
    expect(weighAll([ages(0), lost]).evidence.contradictedSince).toBe(0);
    expect(weighAll([ages(0), lost, ages(contradictionLimit)]).synced).toBe(true);
  });

  test("block for ever if the node does not return its momentum", () => {
    expect(
      weighAll([at(0, saying(2000, 2000), untold()), at(10 * contradictionLimit, saying(2000, 2000), untold())]).synced,
    ).toBe(false);
  });
});

describe("a target without other proof", () => {
  const at = (seconds: number, height: number) => look(untold(height), { at: seconds * 1000 });
  const weak = "the node says synced; waiting for its target to advance, because nothing else proves it";

  test("never proves a sync if it does not advance", () => {
    expect(weighAll(Array.from({ length: 1000 }, (_, i) => at(i * 2, 1000)))).toMatchObject({
      synced: false,
      good: true,
      why: weak,
    });
  });

  test("proves a sync if it advances at the network's pace", () => {
    expect(weighAll([at(0, 1000), at(2, 1001), at(12, 1002)]).synced).toBe(false);
    expect(weighAll([at(0, 1000), at(2, 1001), at(12, 1002), at(22, 1003)])).toMatchObject({
      synced: true,
      unproved: [notTold, noReferences, chainGap],
    });
  });

  test.each([
    ["on, and was caught up with", 1500],
    ["on by a little", 1005],
    ["back", 999],
  ])("restarts the streak after a leap: %s", (_what, height) => {
    const weighed = weighAll([at(0, 1000), at(2, 1001), at(4, 1001 + height - 1000)]);
    expect(weighed).toMatchObject({ synced: false, evidence: { streak: 1 } });
  });

  test("ignores leaps from before the newest momentum was missing", () => {
    const fresh = (seconds: number, height: number) =>
      look(answer(2, height, height, { newestAge: 0 }), { at: seconds * 1000 });
    const leaps = [fresh(0, 1000), fresh(2, 1500), fresh(4, 2000), fresh(6, 2500)];
    expect(weighAll(leaps)).toMatchObject({ synced: true, evidence: { moves: 0 } });
    expect(weighAll([...leaps, at(8, 2500)])).toMatchObject({ synced: false, why: weak });
  });

  test("does not count a target that moved long ago", () => {
    const looks = [at(0, 1000), at(2, 1001), at(6, 1002), at(10, 1003), at(130, 1003)];
    expect(weighAll(looks, { confirmSpan: 130_000 }).synced).toBe(true);
    expect(weighAll([...looks.slice(0, 4), at(130.001, 1003)], { confirmSpan: 130_000 }).synced).toBe(false);
  });
});

describe("a node on another chain than the references", () => {
  const seconds = (at: number, seen: ReferenceAnswers) => look(good, { at: at * 1000, clock: nodeTime, ...seen });
  const other = "the node is on another chain than the references: its momentum";

  test.each<[string, ReferenceAnswers, string]>([
    ["as high as they are", forked(1000, 1000, 1000), `${other} 1000 is f1000, that of r0 is h1000 (so say 2 of them)`],
    [
      "thousands of momentums below them",
      forked(1000, 6000, 6001, 6002),
      `${other} 1000 is f1000, that of r0 is h1000`,
    ],
    ["thousands of momentums above them", forked(9000, 4000, 4000), `${other} 4000 is f4000, that of r0 is h4000`],
    ["by the only reference that answers", forked(1000, 1000), `${other} 1000 is f1000, that of r0 is h1000`],
  ])("never counts, even after a long time: %s", (_what, seen, why) => {
    const long = Array.from({ length: 200 }, (_, i) => seconds(i * contradictionLimit, seen));
    const weighed = weighAll(long);
    expect(weighed).toMatchObject({ synced: false, good: false, evidence: { streak: 0 } });
    expect(weighed.why).toContain(why);
  });

  test("counts where most references are on its own chain: the others are named", () => {
    const three = [1000, 1000, 1000].map((height, i) => atHeight(`r${i}`, height, 3000, i === 2 ? "f" : "h"));
    expect(weighAll([seconds(0, seenFrom(1000, three))])).toMatchObject({
      synced: true,
      proved: [reached, fresh, agrees, confirmed(2)],
      notes: [expect.objectContaining({ key: "otherChain r2" })],
    });
  });

  test("proves nothing if two references contradict each other", () => {
    const two = [1000, 1000].map((height, i) => atHeight(`r${i}`, height, 3000, i === 1 ? "f" : "h"));
    expect(weighAll([seconds(0, seenFrom(1000, two))])).toMatchObject({ synced: true, unproved: [noReferences] });
  });

  test("does not count without the momentum that decides", () => {
    const { readings } = saying(990, 990);
    const own = { newest: { height: 1000, hash: "h1000" }, recent: [] };
    expect(weighAll([seconds(0, { readings, own })])).toMatchObject({
      synced: false,
      good: false,
      why: "the node does not show its momentum 990, so it can't be compared with the references' chain",
    });
  });
});
