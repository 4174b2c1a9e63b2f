import type { CloudHostConfig } from "../config/hostSchema.ts";
import type { Commands } from "../util/commands.ts";
import type { Order } from "./orderRecord.ts";

export interface Offer {
  readonly plan: string;
  readonly location: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** Gigabytes (10^9 bytes) of the whole disk. */
  readonly diskGb: number;
  readonly monthly: number;
  readonly currency: string;
  /** True if the provider lists room for this plan now. Only a hint: orders have succeeded at `false`. */
  readonly isAvailable: boolean;
}

export type Wish = Pick<CloudHostConfig, "plan" | "locations" | "minimums" | "maxMonthly">;

export type Chosen = { readonly offer: Offer; readonly runnerUp?: Offer | undefined };

const systemGb = 4;
const fileSystemShare = 0.05;

export function computeFreeDiskGb({ diskGb }: Pick<Offer, "diskGb">): number {
  return Math.floor(diskGb * (1 - fileSystemShare) - systemGb);
}

/** Returns which minimums an offer misses (docs/specification.md, 8). */
export function findShortfalls(offer: Offer, { minimums }: Wish): string[] {
  const short: string[] = [];
  if (offer.cores < minimums.cores) short.push(`${offer.cores} cores, needed ${minimums.cores}`);
  if (offer.memoryGb < minimums.memoryGb) short.push(`${offer.memoryGb} GB of memory, needed ${minimums.memoryGb}`);
  const free = computeFreeDiskGb(offer);
  if (free < minimums.diskGb)
    short.push(`about ${free} GB free of ${offer.diskGb} GB of disk, needed ${minimums.diskGb} GB free`);
  return short;
}

/**
 * Chooses the cheapest plan that meets the minimums and the price limit, in the first location that lists room. After
 * an order that found no room, chooses the next location, then the next plan.
 */
export function chooseOffer(
  offers: readonly Offer[],
  wish: Wish,
  attempts: readonly Order[],
  run: Commands,
): Chosen | { readonly faults: readonly string[] } {
  const { plan, locations, maxMonthly = Number.POSITIVE_INFINITY } = wish;
  const all = [...new Set(offers.map(({ location }) => location))].sort();
  const unknown = locations.filter((location) => !all.includes(location));
  if (unknown.length > 0)
    return { faults: [`pillar-host:host.locations: found ${unknown.join(", ")}, needed some of ${all.join(", ")}`] };
  const ofPlan = plan === "auto" ? offers : offers.filter((offer) => offer.plan === plan);
  const fitting = ofPlan.filter(({ location }) => locations.includes(location));
  const usable = fitting.filter((offer) => findShortfalls(offer, wish).length === 0);
  const sold = ofPlan.map((offer) => [`${plan} in ${offer.location}`, ...findShortfalls(offer, wish)].join(", "));
  if (usable.length === 0)
    return {
      faults: [
        `pillar-host:host.plan: no x86 plan ${plan === "auto" ? "" : `${plan} `}in ${locations.join(", ")} meets the minimums (pillar-host:host.minimums)`,
        ...(plan === "auto" ? [] : [`found: ${sold.join("; ") || `no ${plan}`}`]),
      ],
    };
  const inOrder = sortOffers(usable, locations);
  const untried = inOrder.filter(
    ({ plan: name, location }) => !attempts.some((tried) => tried.plan === name && tried.location === location),
  );
  const offer = untried.find(({ monthly }) => monthly <= maxMonthly);
  if (offer) return { offer, runnerUp: inOrder.find((each) => each.plan !== offer.plan) };
  const [dear] = untried;
  const full =
    attempts.length > 0 ? ["the provider had no room for these servers:", ...attempts.map(formatAttempt)] : [];
  if (!dear)
    return {
      faults: [...full, "Add locations (pillar-host:host.locations). The next run starts with the first server again."],
    };
  return {
    faults: [
      ...full,
      `pillar-host:host.maxMonthly: all servers left to try cost more than ${formatPrice(maxMonthly, dear)} a month, the cheapest ${formatPrice(dear.monthly, dear)}: ${dear.plan} in ${dear.location}`,
      // Rounds up: the command can set whole numbers only.
      `To allow that price: ${run.set("host.maxMonthly", Math.ceil(dear.monthly))} && ${run.up}`,
      `Or try later; that run starts with the first server again: ${run.up}`,
    ],
  };
}

export function formatPrice(monthly: number, { currency }: Pick<Offer, "currency">): string {
  return `${monthly.toFixed(2)} ${currency}`;
}

export function formatAttempt({ plan, location, at, reason }: Order): string {
  return `${plan} in ${location} at ${at}: ${reason}`;
}

/** Sorts plans by their price in the location tried first. Locations with room come first, then earlier ones. */
function sortOffers(usable: readonly Offer[], locations: readonly string[]): Offer[] {
  const inPlace = (a: Offer, b: Offer) =>
    Number(b.isAvailable) - Number(a.isAvailable) || locations.indexOf(a.location) - locations.indexOf(b.location);
  const price = (plan: string) =>
    usable.filter((offer) => offer.plan === plan).sort(inPlace)[0]?.monthly ?? Number.POSITIVE_INFINITY;
  return [...usable].sort((a, b) => price(a.plan) - price(b.plan) || a.plan.localeCompare(b.plan) || inPlace(a, b));
}

export function describeOffer(offer: Offer): string {
  const { plan, location, cores, memoryGb, diskGb, monthly } = offer;
  return `${plan} in ${location}: ${cores} cores, ${memoryGb} GB of memory, ${diskGb} GB of disk, ${formatPrice(monthly, offer)} a month`;
}
