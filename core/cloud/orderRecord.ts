import { z } from "zod";
import type { StackConfig } from "../config/config";
import { openStackStore } from "../config/stackStore";

const orderSchema = z.object({
  plan: z.string(),
  location: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** The provider's reason for the failure; absent if the run ended before an answer came. */
  reason: z.string().optional(),
});

const recordSchema = z.object({
  attempts: z.array(orderSchema).readonly(),
  /** The order that a run sent without seeing its server yet. */
  pending: orderSchema.optional(),
  /** The number of the ordered server, until a run has logged in to it. */
  ordered: z.string().optional(),
});

export type Order = Readonly<z.infer<typeof orderSchema>>;
export type OrderRecord = Readonly<z.infer<typeof recordSchema>>;

export type OrderRecords = ReturnType<typeof openOrderRecords>;

const empty: OrderRecord = { attempts: [] };

/** Parses a record. An unreadable record counts as missing: at worst an order repeats. */
export function parseOrderRecord(text: string | undefined): OrderRecord {
  try {
    return recordSchema.parse(JSON.parse(text ?? ""));
  } catch {
    return empty;
  }
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
