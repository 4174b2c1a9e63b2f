import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAnswered } from "../../../core/chain/reading.ts";
import { decideSynced, noEvidence } from "../../../core/sync/decideSynced.ts";
import type { WitnessAnswers } from "../../../core/sync/judgeWitnesses.ts";
import { atHeight, block, silent } from "../chain/readings.ts";
import { answer, nodeTime } from "./looks.ts";

// A chain and its fork: below `forkAt` both have the same momentums. `far` is on the node's chain, but over an hour behind.
type Side = "chain" | "fork" | "silent" | "far";
const [forkAt, tip, anHour] = [3900, 4000, 360];

interface World {
  readonly own: "chain" | "fork";
  readonly references?: readonly Side[];
  readonly oldHost?: Side;
  /** Height of the recorded momentum, and its chain. */
  readonly recorded?: readonly [number, "chain" | "fork"];
  readonly height?: number;
}

const momentum = (height: number, side: "chain" | "fork") =>
  block(height, side === "fork" && height >= forkAt ? "f" : "h");

function decide({ own, references = [], oldHost, recorded, height = tip }: World) {
  const read = (name: string, side: Side) => {
    if (side === "silent") return silent(name);
    const chain = side === "far" ? own : side;
    const newest = momentum(side === "far" ? height - anHour - 1 : height, chain);
    return atHeight(name, newest.height, 3000, newest.hash.charAt(0));
  };
  const readings = references.map((side, i) => read(`R${i + 1}`, side));
  const old = oldHost && read("the old host", oldHost);
  const witnesses = [...readings, ...(old ? [old] : [])].filter(isAnswered).map(({ newest }) => newest.height);
  const older = [...witnesses, ...(recorded ? [recorded[0]] : [])].map((at) => momentum(at, own));
  const answers: WitnessAnswers = {
    readings,
    oldHost: old,
    recorded: recorded && momentum(...recorded),
    own: { newest: momentum(height, own), older },
  };
  const look = { observation: answer(2, height, height, { newestAge: 3000 }), ...answers, at: 0, clock: nodeTime };
  return decideSynced(noEvidence, look, { confirmations: 1, confirmSpan: 0, tolerance: tip });
}

const beforeFork = [forkAt - 1, "chain"] as const;

describe("a node on a fork is not synced while a reference contradicts it", () => {
  const on = (world: Omit<World, "own">): World => ({ own: "fork", ...world });
  test.each<[string, World, string]>([
    ["and nothing confirms it", on({ references: ["chain"] }), "otherChain"],
    [
      "and only the momentum recorded before does not",
      on({ references: ["chain"], recorded: beforeFork }),
      "contradicted",
    ],
    ["and only an old host on the fork does not", on({ references: ["chain"], oldHost: "fork" }), "contradicted"],
    [
      "like another, whatever old host and recorded momentum say",
      on({ references: ["chain", "chain"], oldHost: "fork", recorded: beforeFork }),
      "otherChain",
    ],
    [
      "like another, although a third reference lies, too",
      on({ references: ["chain", "chain", "fork"], oldHost: "fork", recorded: beforeFork }),
      "contradicted",
    ],
    [
      "and does not answer now: a momentum recorded over an hour before confirms nothing",
      on({ references: ["silent"], recorded: beforeFork, height: forkAt + anHour }),
      "unwitnessed",
    ],
  ])("%s", (_, world, kind) => {
    expect(decide(world)).toMatchObject({ synced: false, good: false, why: { kind } });
  });

  test("and the recorded momentum alone confirms for an hour at most", () => {
    const world: World = { own: "chain", references: ["silent"], recorded: beforeFork };
    expect(decide({ ...world, height: beforeFork[0] + anHour }).synced).toBe(true);
    expect(decide({ ...world, height: beforeFork[0] + anHour + 1 }).why.kind).toBe("unwitnessed");
  });
});

const sides = ["chain", "fork", "silent", "far"] as const;
const referenceSets: (readonly Side[])[] = [[], ...sides.map((one) => [one])];
for (const one of sides) for (const two of sides) referenceSets.push([one, two]);
for (const [a, b] of referenceSets.filter(({ length }) => length === 2))
  for (const c of sides) referenceSets.push([a as Side, b as Side, c]);
const recordings = [undefined, beforeFork, [tip - 1, "chain"], [tip - 1, "fork"], [tip - anHour - 1, "chain"]] as const;

/** Returns all combinations of up to three references, the old host and the recorded momentum. */
const worlds = (own: "chain" | "fork"): World[] =>
  referenceSets.flatMap((references) =>
    [undefined, ...sides].flatMap((oldHost) => recordings.map((recorded) => ({ own, references, oldHost, recorded }))),
  );
const count = (list: readonly (Side | undefined)[] = [], side: Side) => list.filter((each) => each === side).length;

test("no combination of witnesses passes against references without more confirmations, the most of references too", () => {
  let held = 0;
  for (const own of ["chain", "fork"] as const)
    for (const world of worlds(own)) {
      const against = own === "chain" ? "fork" : "chain";
      const [no, yes] = [count(world.references, against), count(world.references, own)];
      const isHeld = no > 0 && (yes < no || (yes === no && world.oldHost !== own));
      if (isHeld) expect(decide(world), JSON.stringify(world)).toMatchObject({ synced: false });
      held += isHeld ? 1 : 0;
    }
  expect(held).toBeGreaterThan(1000);
});

test("without a live witness that confirms, only a recent recorded momentum passes, and no contradiction", () => {
  for (const own of ["chain", "fork"] as const)
    for (const world of worlds(own)) {
      const against = own === "chain" ? "fork" : "chain";
      const live = [...(world.references ?? []), world.oldHost];
      if (live.includes(own)) continue;
      const [at, side] = world.recorded ?? [0, own];
      const isRecent = at > 0 && tip - at <= anHour && momentum(at, side).hash === momentum(at, own).hash;
      const passes = isRecent && !live.includes(against);
      expect(decide(world).synced, JSON.stringify(world)).toBe(passes);
    }
});

test("an honest node passes against a minority of liars", () => {
  for (const world of worlds("chain")) {
    const witnesses = [...(world.references ?? []), world.oldHost];
    const lies = world.recorded?.[1] === "fork" ? 1 : 0;
    const [honest, liars] = [count(witnesses, "chain"), count(witnesses, "fork") + lies];
    const isMinority = honest > liars && count(world.references, "chain") >= count(world.references, "fork");
    if (isMinority) expect(decide(world), JSON.stringify(world)).toMatchObject({ synced: true });
  }
});

test("a recorded momentum of the node's chain never holds up an honest node, however old it is", () => {
  fc.assert(
    fc.property(fc.constantFrom(...worlds("chain")), fc.integer({ min: 1, max: tip }), (world, at) => {
      const { synced } = decide({ ...world, recorded: undefined });
      if (synced) expect(decide({ ...world, recorded: [at, "chain"] }).synced).toBe(true);
    }),
  );
});
