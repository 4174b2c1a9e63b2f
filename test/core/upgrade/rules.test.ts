import fc from "fast-check";
import { expect, test } from "vitest";
import * as rules from "../../../core/upgrade/rules.ts";
import { electedOf } from "../../../lab/doubles/chain/elections.ts";

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

test("a time without a slot holds in every future schedule", () => {
  let free = 0;
  fc.assert(
    fc.property(world, ({ pillars, place, seed, at }) => {
      const slots = slotsOf(pillars, place % pillars, seed);
      const now = genesis + at;
      // A momentum is made at the beginning of its slot, and is in the chain after it.
      const produced = slots.filter((slot) => slot <= now);
      const until = rules.findFreeUntil({ now, genesis, pillars, produced }, network);
      if (until > now) free++;
      expect(slots.filter((slot) => slot > now && slot < until)).toEqual([]);
    }),
    { numRuns: 2000 },
  );
  expect(free).toBeGreaterThan(100);
});

const moment = { now: genesis + 100_000, genesis, pillars: 100, produced: [genesis + 90_000] };
test.each([
  ["comes after the slot of a tick", moment, 30_000, 0, 200_000],
  ["waits if the rest of the tick is too short", moment, 200_001, 0, "wait"],
  ["waits for the tick's slot", { ...moment, produced: [genesis - 10_000] }, 30_000, rules.slotTimeoutMs - 1, "wait"],
  ["comes after ten minutes without a slot", { ...moment, produced: [] }, 30_000, rules.slotTimeoutMs, "now"],
] as const)("the moment of the swap %s", (_, given, needed, waited, decided) => {
  expect(rules.decideMoment(given, network, needed, waited)).toEqual(decided);
});

const before = { synced: true, currentHeight: 100 };
const good = { synced: true, known: true, why: "synced", currentHeight: 103 };
const behind = { ...good, synced: false };
const still = { ...good, currentHeight: 100 };
const syncing = { synced: false, reason: "syncing", currentHeight: 100 } as const;
const tooOld = { synced: false, reason: "oldVersion", currentHeight: 100 } as const;
const fork = { ...behind, reason: "otherChain" } as const;
const noPeers = { ...behind, reason: "fewPeers" } as const;
const silent = { synced: false, known: false, why: "no answer" };
const judge = rules.judgeTimeoutMs;
const undecided = rules.undecidedTimeoutMs;

test("a new version has ten minutes to find its peers and to answer", () => {
  expect(undecided).toBe(600_000);
  expect(judge).toBe(40_000);
});

// `waited` since the first answer, `connected` since the last reading without peers or an answer.
test.each([
  ["produces is good", {}, good, 1, 2000, 2000, true],
  ["had no slot yet is pending", {}, good, 0, 2000, 2000, undefined],
  ["had no slot until the timeout is good", {}, good, 0, judge, judge, true],
  ["has no slots on this host is good at once", { hasSlots: false }, good, 0, 2000, 2000, true],
  ["does not grow is pending", {}, still, 0, judge - 1, judge - 1, undefined],
  ["does not grow until the timeout is bad", {}, still, 0, judge, judge, false],
  ["found its peers late, and does not grow yet, is pending", {}, still, 0, 120_000, 5000, undefined],
  ["found its peers late, and does not grow, is bad", {}, still, 0, 160_000, judge, false],
  ["found its peers in the last second, and does not grow yet, is pending", {}, still, 0, undecided, 1000, undefined],
  ["has too few peers is pending", {}, noPeers, 0, undecided - 1, 0, undefined],
  ["has too few peers for ten minutes is bad", {}, noPeers, 0, undecided, 0, false],
  [
    "replaces a too old version, and has too few peers, is pending",
    { before: tooOld },
    noPeers,
    0,
    60_000,
    0,
    undefined,
  ],
  ["does not answer any more is pending", {}, silent, 0, undecided - 1, 0, undefined],
  ["does not answer any more for ten minutes is bad", {}, silent, 0, undecided, 0, false],
  ["follows a fork is bad at once", {}, fork, 0, 2000, 2000, false],
  ["grows and is not synced is bad", {}, behind, 1, judge, judge, false],
  ["grows and was not synced before is good", { before: syncing, hasSlots: false }, behind, 0, 2000, 2000, true],
  ["replaces a too old version and is not synced is bad", { before: tooOld }, behind, 0, judge, judge, false],
] as const)("judges a new version that %s", (_, more, node, produced, waited, connected, isGood) => {
  const facts = { before, hasSlots: true, ...more, node, produced, waited, connected };
  expect(rules.judgeUpgrade(facts)?.isGood).toBe(isGood);
});

test("says for how long a version had too few peers, and for how long its height stood still", () => {
  const facts = { before, hasSlots: true, produced: 0, waited: undecided, connected: 0 };
  const why = "not enough peers (6)";
  expect(rules.judgeUpgrade({ ...facts, node: { ...noPeers, why } })?.why).toBe(
    "the node is not as good as the old version after 10 min: not enough peers (6)",
  );
  expect(rules.judgeUpgrade({ ...facts, node: still, connected: judge })?.why).toBe(
    "the height has not grown after 40 s: synced",
  );
});

const gap = { fromHeight: 1000, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" };
const facts = { before: "v0.0.8", height: 999, gaps: [], sporks: [], isSynced: true };
const spork = { id: "a".repeat(64), name: "dynamic plasma", enforcedFrom: 2000 };
const sporks = [spork];
test.each<[string, object, RegExp | undefined]>([
  ["is possible below the required height", {}, undefined],
  ["is impossible from the required height on", { gaps: [gap] }, /^v0\.0\.10 or newer is required from height 1000/],
  ["is possible while a spork is only announced", { sporks: [{ ...spork, enforcedFrom: undefined }] }, undefined],
  ["is impossible to one without an active spork", { sporks }, /^the spork aaaaaaaa… is active, and v0\.0\.8 may/],
  ["is impossible if an unknown version has an active spork ahead", { before: "v0.0.9", sporks }, /is active/],
  ["is possible if an unknown version has passed it", { before: "v0.0.9", sporks, height: 2500 }, undefined],
  ["is impossible to one not synced", { before: "v0.0.9", sporks, height: 2500, isSynced: false }, /is active/],
])("a rollback %s", (_, more, fault) => {
  const found = rules.findRollbackFault({ ...facts, ...more });
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});
