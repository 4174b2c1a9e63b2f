import { z } from "zod";
import type { StackConfig } from "../config/config.ts";
import type { CloudHostConfig } from "../config/hostSchema.ts";
import { openStackStore } from "../config/stackStore.ts";
import { parseJson } from "../util/parseJson.ts";

const attemptSchema = z.object({
  plan: z.string(),
  location: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** The provider's reason for the failure; absent if the run ended before an answer came. */
  reason: z.string().optional(),
});

const recordSchema = z.object({
  attempts: z.array(attemptSchema).readonly(),
  /** The order that a run sent without seeing its server yet. */
  pending: attemptSchema.optional(),
  /** All orders since a run has logged in to a server: a server may appear long after its order. */
  sent: z
    .array(z.object({ number: z.string(), at: z.string() }))
    .readonly()
    .optional(),
  /** The first price that was shown for the settings in `wish` ({@link describeWish}). */
  shown: z.object({ wish: z.string(), monthly: z.number(), currency: z.string() }).optional(),
});

export type Order = Readonly<z.infer<typeof attemptSchema>>;
export type OrderRecord = Readonly<z.infer<typeof recordSchema>>;
export type FirstPrice = NonNullable<OrderRecord["shown"]>;

export type OrderRecords = ReturnType<typeof openOrderRecords>;

const empty: OrderRecord = { attempts: [] };

/** Parses a record. An unreadable record counts as missing: at worst an order repeats, and a price is shown again. */
export function parseOrderRecord(text: string | undefined): OrderRecord {
  return recordSchema.safeParse(parseJson(text ?? "")).data ?? empty;
}

/** Formats a record; undefined if it says nothing. */
export function formatOrderRecord(record: OrderRecord): string | undefined {
  const text = JSON.stringify(record);
  return text === JSON.stringify(empty) ? undefined : `${text}\n`;
}

/** An order that failed longer ago may be tried again, because the provider may have room again. */
const attemptMemoryMs = 24 * 3600 * 1000;

/**
 * Decides which earlier orders failed for lack of room: only for those, another plan or location is tried. An order that
 * failed for another reason is repeated.
 */
export function settleOrder(
  { attempts, pending }: OrderRecord,
  isNoRoom: (words: string) => boolean,
  failure?: string,
): { readonly attempts: readonly Order[]; readonly failed?: Order } {
  const fresh = (all: readonly Order[]) => all.filter(({ at }) => Date.now() - Date.parse(at) < attemptMemoryMs);
  if (!pending) return { attempts: fresh(attempts) };
  const words = [pending.reason, failure].filter((each) => each !== undefined);
  const reason = words.find(isNoRoom);
  if (reason !== undefined) return { attempts: fresh([...attempts, { ...pending, reason }]) };
  return { attempts: fresh(attempts), failed: { ...pending, reason: words[0] } };
}

export type PriceLimit = NonNullable<ReturnType<typeof computePriceLimit>>;

/** The share by which a server may cost more than the price first shown, since locations and plans differ. */
const priceMarginShare = 0.25;

/** Formats the settings that set a price. Leaves out locations: who adds one does not agree to another price. */
function describeWish({ provider, plan, minimums: { cores, memoryGb, diskGb }, backups }: CloudHostConfig): string {
  const parts = [provider, plan, `${cores} cores`, `${memoryGb} GB`, `${diskGb} GB`];
  return [...parts, ...(backups ? ["backups"] : [])].join(", ");
}

/**
 * Returns the highest price that a server may cost: host.maxMonthly if it is configured; else the price that was shown
 * for the same configuration, plus a quarter; undefined if neither exists.
 */
export function computePriceLimit(host: CloudHostConfig, shown?: FirstPrice) {
  if (host.maxMonthly !== undefined) return { monthly: host.maxMonthly, from: "pillar-host:host.maxMonthly" };
  if (shown?.wish !== describeWish(host)) return undefined;
  const { monthly, currency } = shown;
  return {
    monthly: Math.round(monthly * (1 + priceMarginShare) * 100) / 100,
    from: `the price shown first, ${monthly.toFixed(2)} ${currency}, plus a quarter; pillar-host:host.maxMonthly sets another limit`,
  };
}

/** Returns the price shown first for this configuration: the known one, or else the offer's. */
export function keepFirstPrice(
  host: CloudHostConfig,
  known: FirstPrice | undefined,
  { monthly, currency }: Omit<FirstPrice, "wish">,
): FirstPrice {
  const wish = describeWish(host);
  return known?.wish === wish ? known : { wish, monthly, currency };
}

/** Opens the record of a stack's orders, which holds no secrets. Each function @throws Error for the operator */
export function openOrderRecords(config: StackConfig) {
  // The Pillar is in the name, because two Pillars may share a store, with stacks of the same name.
  const name = `orders-${config.stack}-${config.pillar.name}.json`;
  const store = openStackStore(config);
  return {
    read: async () => parseOrderRecord(await store.readText(name)),
    /** Writes the record, to disk before it resolves. */
    write: (record: OrderRecord) => store.writeText(name, formatOrderRecord(record)),
  };
}
