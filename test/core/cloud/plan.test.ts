import { expect, test } from "vitest";
import { chooseOffer, computeFreeDiskGb, type Offer, type Wish } from "../../../core/cloud/chooseOffer.ts";
import type { Order } from "../../../core/cloud/orderRecord.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { offer } from "./exampleOffer.ts";

const minimums = { cores: 4, memoryGb: 4, diskGb: 40, bandwidthMbps: 100 };
const wish: Wish = { plan: "auto", locations: ["fsn1", "nbg1"], minimums };
const market = ["fsn1", "nbg1"].flatMap((location) => [
  offer("small", 4, { location, cores: 2 }),
  offer("good", 8, { location }),
  offer("better", 16, { location, cores: 8, memoryGb: 16, diskGb: 160 }),
]);
const failed = { at: "2026-11-21T14:00:00Z", reason: "resource_unavailable" };
const attempt = (plan: string, location: string): Order => ({ plan, location, ...failed });

/** Returns `plan in location` of the chosen offer and of the runner-up, or the faults. */
function chosen(offers: readonly Offer[], change: Partial<Wish> = {}, attempts: readonly Order[] = []) {
  const choice = chooseOffer(offers, { ...wish, ...change }, attempts, commandsFor("prod"));
  if ("faults" in choice) return choice.faults;
  return [choice.offer, choice.runnerUp].map((each) => each && `${each.plan} in ${each.location}`);
}

test("plan: auto is compared by its price in the location tried first", () => {
  const nbg1 = { location: "nbg1" };
  const here = (plan: string, first: number, later: number) => [offer(plan, first), offer(plan, later, nbg1)];
  expect(chosen([...here("even", 8, 8), ...here("uneven", 9, 3)])).toEqual(["even in fsn1", "uneven in fsn1"]);
  expect(chosen([...here("even", 8, 8), ...here("uneven", 7, 30)])).toEqual(["uneven in fsn1", "even in fsn1"]);
});

test("plan: auto prefers locations with room, but never a dearer plan", () => {
  const without = (...locations: string[]) =>
    market.map((each) =>
      each.plan === "good" && locations.includes(each.location) ? { ...each, isAvailable: false } : each,
    );
  expect(chosen(without("fsn1"))).toEqual(["good in nbg1", "better in fsn1"]);
  expect(chosen(without("fsn1"), {}, [attempt("good", "nbg1")])[0]).toBe("good in fsn1");
  expect(chosen(without("fsn1", "nbg1"))).toEqual(["good in fsn1", "better in fsn1"]);
});

test("plan: auto is the same plan whenever two cost the same", () => {
  const twins = [offer("b", 8), offer("a", 8)].flatMap((each) => [each, { ...each, location: "nbg1" }]);
  expect(chosen(twins)).toEqual(["a in fsn1", "b in fsn1"]);
  expect(chosen([...twins].reverse())).toEqual(["a in fsn1", "b in fsn1"]);
});

test("tries the next location after an offer without room, then the next plan", () => {
  const tried: Order[] = [];
  const order = ["good in fsn1", "good in nbg1", "better in fsn1", "better in nbg1"];
  for (const expected of order) {
    expect(chosen(market, {}, tried)[0]).toBe(expected);
    const [plan = "", , location = ""] = expected.split(" ");
    tried.push(attempt(plan, location));
  }
  expect(chosen(market, {}, tried)).toEqual([
    "the provider had no room for these servers:",
    ...order.map((place) => `${place} at 2026-11-21T14:00:00Z: resource_unavailable`),
    "Add locations (pillar-host:host.locations). The next run starts with the first server again.",
  ]);
});

test("excludes offers that are dearer than the limit", () => {
  expect(chosen(market, { maxMonthly: 8 })).toEqual(["good in fsn1", "better in fsn1"]);
  const dear = market.map((each) => (each.location === "fsn1" ? { ...each, monthly: 9 } : each));
  expect(chosen(dear, { maxMonthly: 8 })[0]).toBe("good in nbg1");
  expect(chosen(market, { plan: "better", maxMonthly: 8 })[0]).toContain("the cheapest 16.00 EUR: better in fsn1");
});

const unmet = (plan: string) =>
  `pillar-host:host.plan: no x86 plan ${plan}in fsn1, nbg1 meets the minimums (pillar-host:host.minimums)`;

test.each<[Partial<Wish>, ...faults: string[]]>([
  [{ locations: ["fsn1", "mars1"] }, "pillar-host:host.locations: found mars1, needed some of ash, fsn1, nbg1"],
  [{ plan: "cx999" }, unmet("cx999 "), "found: no cx999"],
  [
    { plan: "poor" },
    unmet("poor "),
    "found: poor in ash, 1 cores, needed 4, 2 GB of memory, needed 4, about 15 GB free of 20 GB of disk, needed 40 GB free",
  ],
  [{ minimums: { ...wish.minimums, cores: 64 } }, unmet("")],
])("refuses %j before anything is made", (change, ...faults) => {
  const poor = offer("poor", 1, { location: "ash", cores: 1, memoryGb: 2, diskGb: 20 });
  expect(chosen([...market, poor], change)).toEqual(faults);
});

// The specification asks for 40 GB free: the system's own files are subtracted.
test("estimates the free space of a disk", () => {
  expect([40, 46, 47, 80].map((diskGb) => computeFreeDiskGb({ diskGb }))).toEqual([34, 39, 40, 72]);
});
