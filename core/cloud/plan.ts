import type { Commands } from "../util/commands";

export interface Offer {
  readonly plan: string;
  readonly location: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** Gigabytes (10^9 bytes) of the whole disk. */
  readonly diskGb: number;
  readonly architecture: string;
  readonly monthly: number;
  readonly currency: string;
  /** The provider's list says that it has room for one now: a hint, orders at `false` have come to pass. */
  readonly isAvailable: boolean;
  readonly isDeprecated: boolean;
}

export interface Wish {
  /** `auto`, or a plan's name. */
  readonly plan: string;
  /** Tried in this order. */
  readonly locations: readonly string[];
  readonly minimums: { readonly cores: number; readonly memoryGb: number; readonly diskGb: number };
  /** What a month may cost, in the provider's currency; undefined: anything. */
  readonly maxMonthly?: number | undefined;
}

export interface Attempt {
  readonly plan: string;
  readonly location: string;
  /** ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

export type Choice =
  | { readonly kind: "chosen"; readonly offer: Offer; readonly runnerUp?: Offer | undefined }
  | { readonly kind: "none"; readonly faults: readonly string[] };

const system = 4;
const fileSystemShare = 0.05;

/** Free gigabytes on a fresh machine (pure). */
export function freeDiskGb({ diskGb }: Pick<Offer, "diskGb">): number {
  return Math.floor(diskGb * (1 - fileSystemShare) - system);
}

/** What an offer falls short of, in words; empty where it meets the minimums (pure): docs/specification.md, 8. */
export function shortfalls(offer: Offer, { minimums }: Wish): string[] {
  const short: string[] = [];
  if (offer.architecture !== "x86") short.push(`architecture ${offer.architecture}, needed x86`);
  if (offer.cores < minimums.cores) short.push(`${offer.cores} cores, needed ${minimums.cores}`);
  if (offer.memoryGb < minimums.memoryGb) short.push(`${offer.memoryGb} GB of memory, needed ${minimums.memoryGb}`);
  const free = freeDiskGb(offer);
  if (free < minimums.diskGb)
    short.push(`about ${free} GB free of ${offer.diskGb} GB of disk, needed ${minimums.diskGb} GB free`);
  return short;
}

/**
 * Chooses plan and location (pure): the cheapest plan that meets the minimums and costs no more than it may, in the first
 * location, those first whose list says that there is room. What the provider had no room for comes last: the next location
 * first, then the next plan.
 */
export function choose(offers: readonly Offer[], wish: Wish, attempts: readonly Attempt[], run: Commands): Choice {
  const unknown = wish.locations.filter((location) => !offers.some((offer) => offer.location === location));
  if (unknown.length > 0) {
    const known = [...new Set(offers.map(({ location }) => location))].sort().join(", ");
    return none(`pillar-host:host.locations: found ${unknown.join(", ")}, needed some of ${known}`);
  }
  const here = offers.filter(({ location }) => wish.locations.includes(location));
  const fitting = wish.plan === "auto" ? here : here.filter(({ plan }) => plan === wish.plan);
  if (wish.plan !== "auto") {
    const fault = faultOfNamed(wish, offers, fitting);
    if (fault) return none(fault);
  }
  const usable = fitting.filter((offer) => shortfalls(offer, wish).length === 0 && !offer.isDeprecated);
  if (usable.length === 0)
    return none(
      `pillar-host:host.plan: no plan in ${wish.locations.join(", ")} meets the minimums (pillar-host:host.minimums)`,
    );
  const inOrder = ordered(usable, wish.locations);
  const untried = inOrder.filter((offer) => !attempts.some((attempt) => isSame(attempt, offer)));
  const [offer] = untried.filter((each) => isAffordable(each, wish));
  const tried = attempts.length === 0 ? [] : triedText(attempts);
  if (!offer) return none(...tried, ...(untried[0] ? tooDear(untried[0], wish, run) : [addLocations]));
  const runnerUp = inOrder.find(({ plan }) => plan !== offer.plan);
  return { kind: "chosen", offer, runnerUp };
}

const addLocations = "Add locations (pillar-host:host.locations). The next run begins with the first one again.";

function triedText(attempts: readonly Attempt[]): string[] {
  return [
    "the provider had no room for what was tried:",
    ...attempts.map((attempt) => `${offerLabel(attempt)} at ${attempt.at}: ${attempt.reason}`),
  ];
}

export function isAffordable(
  { monthly }: Pick<Offer, "monthly">,
  { maxMonthly = Number.POSITIVE_INFINITY }: Pick<Wish, "maxMonthly">,
): boolean {
  return monthly <= maxMonthly;
}

function tooDear({ plan, location, monthly, currency }: Offer, { maxMonthly = 0 }: Wish, run: Commands): string[] {
  return [
    `pillar-host:host.maxMonthly: what is left costs more than ${maxMonthly.toFixed(2)} ${currency} a month, the cheapest ` +
      `${monthly.toFixed(2)} ${currency}: ${plan} in ${location}`,
    `To allow it: ${allowing(monthly, run)} && ${run.up}`,
    `Or later, which begins with the first one again: ${run.up}`,
  ];
}

/** The command that allows a price (pure); the command line takes whole numbers only. */
export function allowing(monthly: number, run: Commands): string {
  return run.set("host.maxMonthly", Math.ceil(monthly));
}

/** Plans by their price where they are tried first; each where its list says that there is room, then by location (pure). */
function ordered(usable: readonly Offer[], locations: readonly string[]): Offer[] {
  const inPlace = (a: Offer, b: Offer) =>
    Number(b.isAvailable) - Number(a.isAvailable) || locations.indexOf(a.location) - locations.indexOf(b.location);
  const first = (plan: string) => usable.filter((offer) => offer.plan === plan).sort(inPlace)[0];
  const price = (plan: string) => first(plan)?.monthly ?? Number.POSITIVE_INFINITY;
  return [...usable].sort((a, b) => price(a.plan) - price(b.plan) || a.plan.localeCompare(b.plan) || inPlace(a, b));
}

function faultOfNamed(wish: Wish, offers: readonly Offer[], fitting: readonly Offer[]): string | undefined {
  const key = `pillar-host:host.plan: ${wish.plan}`;
  const [offer] = fitting;
  if (!offer) {
    const elsewhere = [...new Set(offers.filter(({ plan }) => plan === wish.plan).map(({ location }) => location))];
    return elsewhere.length > 0
      ? `${key} is not sold in ${wish.locations.join(", ")}, but in ${elsewhere.join(", ")}`
      : `${key} is no plan of the provider`;
  }
  const short = shortfalls(offer, wish);
  if (short.length > 0) return `${key} is below the minimums: ${short.join("; ")}`;
  if (fitting.every(({ isDeprecated }) => isDeprecated)) return `${key} is not sold any more`;
  return undefined;
}

function isSame(a: { plan: string; location: string }, b: { plan: string; location: string }): boolean {
  return a.plan === b.plan && a.location === b.location;
}

function offerLabel({ plan, location }: { plan: string; location: string }): string {
  return `${plan} in ${location}`;
}

function none(...faults: string[]): Choice {
  return { kind: "none", faults };
}

export function describe(offer: Offer): string {
  const { plan, location, cores, memoryGb, diskGb, monthly, currency } = offer;
  return `${plan} in ${location}: ${cores} cores, ${memoryGb} GB of memory, ${diskGb} GB of disk, ${monthly.toFixed(2)} ${currency} a month`;
}
