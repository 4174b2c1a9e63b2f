import { describe, expect, test } from "vitest";
import { agreeOnPillar, type PillarReading } from "../../../core/registration/agreeOnRegistration.ts";
import {
  decideRegistration,
  findSwitch,
  isOurs,
  mayShowAddress,
  type Registration,
  type RegistrationFacts,
} from "../../../core/registration/registration.ts";
import { formatRegistration } from "../../../core/registration/registrationMessages.ts";
import { silent } from "../chain/readings.ts";
import { chainOf, clock, old, other, ours, pillarOf, says } from "./chains.ts";

const synced = { synced: true, known: true, why: "synced" };
const switched = { height: 1001, at: clock - 10_000 };

const decide = (registered: string | null | PillarReading[], changes: Partial<RegistrationFacts> = {}) =>
  decideRegistration({
    ours,
    memory: {},
    node: synced,
    now: clock,
    agreement: agreeOnPillar(Array.isArray(registered) ? registered : [says("node", registered)]),
    ...changes,
  });

describe("another registered address", () => {
  test("counts as the earlier one if the stack finds it first; is missing if the Pillar is not registered", () => {
    expect(decide(null)).toEqual({ kind: "unknownPillar", notes: [] });
    const last = { height: 1002, at: clock, isOurs: false };
    expect(decide(old)).toEqual({ kind: "earlier", address: old, earlier: old, wasOurs: false, notes: [], last });
    expect(decide(old, { memory: { wasOurs: true, earlier: old } })).toMatchObject({ kind: "earlier", wasOurs: true });
  });

  test("is foreign if it is neither this host's nor the earlier one", () => {
    const last = { height: 1001, at: clock - 10_000, isOurs: false };
    const foreign = { kind: "foreign", address: other, earlier: old, wasOurs: false, notes: [], last };
    expect(decide(other, { memory: { earlier: old } })).toEqual(foreign);
    // The stack began with its own address.
    expect(decide(other, { memory: { wasOurs: true } })).toMatchObject({ kind: "foreign", wasOurs: true });
  });

  test("leaves production here until momentums carry it", () => {
    const back = (...producers: string[]) =>
      decide([says("node", old, chainOf(producers))], { memory: { wasOurs: true, earlier: old } });
    const words = (...producers: string[]) => formatRegistration(back(...producers), "Anvil");
    expect(back(old, ours, other)).toMatchObject({ kind: "earlier", last: { height: 1001, isOurs: true } });
    expect(words(old, ours, other)).toContain("keep it running until momentums carry the other address");
    expect(words(ours, old, other)).toBe(`Anvil is registered with ${old} again, and momentums carry that address`);
    // No recent momentum of either address proves anything.
    expect(words(other, other)).toContain("keep it running until momentums carry the other address");
  });
});

describe("this host's registered address", () => {
  test("is registered since it was first seen; has no figures before the node counted any", () => {
    const figures = { expected: 10, produced: 9 };
    const found = { kind: "registered", address: ours, earlier: old, since: clock, figures, notes: [] };
    expect(decide(ours, { memory: { earlier: old } })).toEqual(found);
    const reading = { ...says("node", ours), pillar: pillarOf(ours, { expected: 0, produced: 0 }) };
    expect(decide([reading], { memory: { since: 7 } })).toMatchObject({ since: 7, figures: undefined });
  });

  const node = { synced: false, known: true, why: "syncing" } as const;
  test.each<[string, Partial<RegistrationFacts>, object]>([
    ["producing after a switch", { switched }, { kind: "producing", switched }],
    ["too early while the node is not synced", { node, switched }, { kind: "tooEarly", why: "syncing", switched }],
    ["too early on another chain", { node: { ...node, reason: "otherChain" }, switched }, { kind: "tooEarly" }],
    ["not too early without a witness", { node: { ...node, reason: "unwitnessed" }, switched }, { kind: "producing" }],
    ["not too early if references contradict", { node: { ...node, reason: "contradicted" } }, { kind: "registered" }],
    ["not too early if the node does not answer", { node: { ...node, known: false } }, { kind: "registered" }],
  ])("is %s", (_what, facts, expected) => {
    expect(decide(ours, facts)).toMatchObject({ address: ours, ...expected });
  });
});

const first = { height: 1001, at: clock - 20_000 };
const logged = { height: 900, at: 0 };
test.each<[string, string[], object | undefined, object | undefined]>([
  ["the first momentum after the last one of the address before", [old, ours, other, ours], undefined, first],
  ["none if the address before produced last", [ours, ours, old, other], undefined, undefined],
  ["none if neither produced", [other, other], undefined, undefined],
  ["the logged one while momentums carry ours", [old, ours, other, ours], logged, logged],
  ["the logged one while neither produces", [other, other], logged, logged],
  ["none if the address before produced again", [ours, old, other], logged, undefined],
])("a switch is %s", (_what, producers, switched, expected) => {
  const memory = { earlier: old, switched: switched as typeof logged };
  expect(findSwitch(chainOf(producers), ours, memory)).toEqual(expected);
});

test("the address of a synced host is shown unless no Pillar has the name", () => {
  const unknown = { kind: "unknown", why: "no node", notes: [] } as const;
  const shown = (registration: Registration) => mayShowAddress({ synced: true }, registration);
  expect([shown(unknown), shown({ kind: "unknownPillar", notes: [] })]).toEqual([true, false]);
});

// No mix of answers may lead to either.
test("is never this host's without a source, never producing without a switch; keeps the memory if unknown", () => {
  const memory = { earlier: old, since: clock - 1, switched };
  const nobody = { kind: "unknown", why: "no node was asked", notes: [] };
  expect(decide([], { memory, switched })).toEqual({ ...nobody, ...memory });
  const words = [ours, old, other, null, "silent"] as const;
  const mixes = words.flatMap((a) => words.flatMap((b) => words.map((c) => [a, b, c])));
  for (const said of mixes)
    for (const known of [synced, { synced: false, known: true, why: "" }]) {
      const readings = said.map((word, i) => (word === "silent" ? silent(`s${i}`) : says(`s${i}`, word)));
      const found = decide(readings, { node: known });
      const count = (is: (word: string | null) => boolean) => said.filter(is).length;
      expect(isOurs(found)).toBe(count((word) => word === ours) * 2 > count((word) => word !== "silent"));
      expect(found.kind).not.toBe("producing");
      if (found.kind === "registered") expect(known.synced).toBe(true);
    }
});
