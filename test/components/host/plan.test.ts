import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import {
  type Attempt,
  choose,
  describe,
  freeDiskGb,
  type Offer,
  shortfalls,
  type Wish,
} from "../../../components/host/plan";

const offer = (plan: string, monthly: number, change: Partial<Offer> = {}): Offer => ({
  ...{ plan, location: "fsn1", cores: 4, memoryGb: 8, diskGb: 80, architecture: "x86", monthly, currency: "EUR" },
  ...{ isAvailable: true, isDeprecated: false },
  ...change,
});
const wish: Wish = { plan: "auto", locations: ["fsn1", "nbg1"], minimums: { cores: 4, memoryGb: 4, diskGb: 40 } };
const market = ["fsn1", "nbg1"].flatMap((location) => [
  offer("small", 4, { location, cores: 2 }),
  offer("arm", 5, { location, architecture: "arm" }),
  offer("good", 8, { location }),
  offer("better", 16, { location, cores: 8, memoryGb: 16, diskGb: 160 }),
]);
const attempt = (plan: string, location: string): Attempt => ({
  ...{ plan, location },
  at: "2026-11-21T14:00:00Z",
  reason: "resource_unavailable",
});

/** `plan in location` of what is chosen and of the runner-up, or the faults. */
function chosen(offers: readonly Offer[], change: Partial<Wish> = {}, attempts: readonly Attempt[] = []) {
  const choice = choose(offers, { ...wish, ...change }, attempts);
  if (choice.kind === "none") return choice.faults;
  return [choice.offer, choice.runnerUp].map((each) => each && `${each.plan} in ${each.location}`);
}

group("plan: auto", () => {
  test("is the cheapest that meets the minimums, beside the next one", () => {
    expect(chosen(market)).toEqual(["good in fsn1", "better in fsn1"]);
  });

  test("keeps to what has room, is sold on, and is x86", () => {
    const soldOut = market.map((each) => (each.plan === "good" ? { ...each, isAvailable: false } : each));
    expect(chosen(soldOut)).toEqual(["better in fsn1", "good in fsn1"]);
    const deprecated = market.map((each) => (each.plan === "good" ? { ...each, isDeprecated: true } : each));
    expect(chosen(deprecated)).toEqual(["better in fsn1", undefined]);
  });

  test("goes to the next location before the next plan", () => {
    const full = market.map((each) => (each.location === "fsn1" ? { ...each, isAvailable: false } : each));
    expect(chosen(full)).toEqual(["good in nbg1", "better in fsn1"]);
  });

  test("takes the same of two at one price", () => {
    const twins = [offer("b", 8), offer("a", 8)].flatMap((each) => [each, { ...each, location: "nbg1" }]);
    expect(chosen(twins)).toEqual(["a in fsn1", "b in fsn1"]);
    expect(chosen([...twins].reverse())).toEqual(["a in fsn1", "b in fsn1"]);
  });
});

group("what was tried in vain", () => {
  test("is followed by the next location, then by the next plan", () => {
    const tried: Attempt[] = [];
    const order = ["good in fsn1", "good in nbg1", "better in fsn1", "better in nbg1"];
    for (const expected of order) {
      expect(chosen(market, {}, tried)[0]).toBe(expected);
      const [plan = "", , location = ""] = expected.split(" ");
      tried.push(attempt(plan, location));
    }
    expect(chosen(market, {}, tried)).toEqual([
      "every plan and location that meets the minimums was tried, and the provider had no room for a server:",
      ...order.map((place) => `${place} at 2026-11-21T14:00:00Z: resource_unavailable`),
      "Add locations (pillar-host:host.locations). The next pulumi up begins with the first one again.",
    ]);
  });
});

group("refused before anything is made", () => {
  test.each<[string, readonly Offer[], Partial<Wish>, string]>([
    [
      "an unknown location",
      market,
      { locations: ["fsn1", "mars1"] },
      "pillar-host:host.locations: found mars1, needed some of fsn1, nbg1",
    ],
    ["an unknown plan", market, { plan: "cx999" }, "pillar-host:host.plan: cx999 is no plan of the provider"],
    [
      "a plan below the minimums",
      market,
      { plan: "small" },
      "pillar-host:host.plan: small is below the minimums: 2 cores, needed 4",
    ],
    [
      "a plan that is sold elsewhere",
      [...market, offer("far", 3, { location: "ash" })],
      { plan: "far" },
      "pillar-host:host.plan: far is not sold in fsn1, nbg1, but in ash",
    ],
    [
      "a plan that is not sold any more",
      market.map((each) => ({ ...each, isDeprecated: true })),
      { plan: "good" },
      "pillar-host:host.plan: good is not sold any more",
    ],
    [
      "minimums that nothing meets",
      market,
      { minimums: { cores: 64, memoryGb: 4, diskGb: 40 } },
      "pillar-host:host.plan: no plan in fsn1, nbg1 meets the minimums (pillar-host:host.minimums)",
    ],
  ])("%s", (_what, offers, change, fault) => {
    expect(chosen(offers, change)).toEqual([fault]);
  });

  test("no room anywhere", () => {
    const full = market.map((each) => ({ ...each, isAvailable: false }));
    expect(chosen(full)).toEqual([
      "fsn1, nbg1: no plan that meets the minimums has room now",
      "seen: good in fsn1, good in nbg1, better in fsn1, better in nbg1",
      "Add locations (pillar-host:host.locations), or run pulumi up again later.",
    ]);
  });

  test("every shortfall of a plan is named", () => {
    const poor = offer("poor", 1, { architecture: "arm", cores: 1, memoryGb: 2, diskGb: 20 });
    expect(shortfalls(poor, wish)).toEqual([
      "architecture arm, needed x86",
      "1 cores, needed 4",
      "2 GB of memory, needed 4",
      "about 15 GB free of 20 GB of disk, needed 40 GB free",
    ]);
  });
});

// The specification asks for 40 GB free: what the system takes is taken off.
test.each([
  [40, 34],
  [46, 39],
  [47, 40],
  [80, 72],
])("of %i GB about %i are free", (diskGb, free) => {
  expect(freeDiskGb({ diskGb })).toBe(free);
});

test("an offer is described with its price", () => {
  expect(describe(offer("cx33", 5.49))).toBe("cx33 in fsn1: 4 cores, 8 GB of memory, 80 GB of disk, 5.49 EUR a month");
});

test("what is chosen always fits, has room and was not tried; and nothing cheaper in its location does", () => {
  const offers = fc.array(
    fc.record({
      plan: fc.constantFrom("a", "b", "c", "d"),
      location: fc.constantFrom("fsn1", "nbg1"),
      cores: fc.constantFrom(2, 4, 8),
      memoryGb: fc.constantFrom(2, 4, 16),
      diskGb: fc.constantFrom(20, 60, 160),
      architecture: fc.constantFrom("x86", "x86", "arm"),
      monthly: fc.integer({ min: 1, max: 50 }),
      currency: fc.constant("EUR"),
      isAvailable: fc.boolean(),
      isDeprecated: fc.boolean(),
    }),
    { maxLength: 12 },
  );
  const tries = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("fsn1", "nbg1")));
  fc.assert(
    fc.property(offers, tries, (all, tried) => {
      const unique = all.filter(
        (one, i) => all.findIndex(({ plan, location }) => plan === one.plan && location === one.location) === i,
      );
      const attempts = tried.map(([plan, location]) => attempt(plan, location));
      const choice = choose(unique, wish, attempts);
      if (choice.kind === "none") {
        expect(choice.faults.length).toBeGreaterThan(0);
        return;
      }
      const fits = (each: Offer) =>
        shortfalls(each, wish).length === 0 &&
        each.isAvailable &&
        !each.isDeprecated &&
        !attempts.some(({ plan, location }) => plan === each.plan && location === each.location);
      expect(fits(choice.offer)).toBe(true);
      if (attempts.length === 0 && wish.locations[0] === choice.offer.location) {
        const cheaper = unique.filter(
          (each) => each.location === choice.offer.location && fits(each) && each.monthly < choice.offer.monthly,
        );
        expect(cheaper).toEqual([]);
      }
    }),
  );
});
