import type { CloudHostConfig } from "../config/hostSchema";
import type { ShownPrice } from "./attempts";
import type { Offer } from "./plan";

export interface PriceLimit {
  readonly monthly: number;
  readonly from: string;
}

/** How much dearer than what was shown first a server may be: locations differ, and so do plans of a kind. */
const margin = 0.25;

/** What was asked for, as far as its price goes (pure); locations are no part of it: more of them are no consent to a price. */
export function wishOf({ provider, plan, minimums, backups }: CloudHostConfig): string {
  const { cores, memoryGb, diskGb } = minimums;
  return [provider, plan, `${cores} cores`, `${memoryGb} GB`, `${diskGb} GB`, ...(backups ? ["backups"] : [])].join(
    ", ",
  );
}

/** What a server may cost (pure); undefined before a price was shown for what is asked for. */
export function priceLimit(host: CloudHostConfig, shown: ShownPrice | undefined): PriceLimit | undefined {
  if (host.maxMonthly !== undefined) return { monthly: host.maxMonthly, from: "pillar-host:host.maxMonthly" };
  return shown?.wish === wishOf(host) ? limitAfter(shown) : undefined;
}

export function limitAfter({ monthly, currency }: ShownPrice): PriceLimit {
  return {
    monthly: Math.round(monthly * (1 + margin) * 100) / 100,
    from: `the ${monthly.toFixed(2)} ${currency} that were shown first and a quarter; pillar-host:host.maxMonthly sets another`,
  };
}

export function shownPrice(
  host: CloudHostConfig,
  known: ShownPrice | undefined,
  { monthly, currency }: Pick<Offer, "monthly" | "currency">,
): ShownPrice {
  const wish = wishOf(host);
  return known?.wish === wish ? known : { wish, monthly, currency };
}
