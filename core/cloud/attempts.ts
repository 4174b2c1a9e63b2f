import { z } from "zod";
import type { Attempt } from "./plan";

export interface Order extends Omit<Attempt, "reason"> {
  /** Why it failed, in the provider's words; absent where the run ended before it heard any. */
  readonly reason?: string | undefined;
}

export interface ShownPrice {
  /** What was asked for, as {@link wishOf} tells it. */
  readonly wish: string;
  readonly monthly: number;
  readonly currency: string;
}

export interface OrderRecord {
  readonly attempts: readonly Attempt[];
  readonly pending?: Order | undefined;
  /** The server's number, once it came: no run was let in by it yet. */
  readonly ordered?: string | undefined;
  readonly shown?: ShownPrice | undefined;
}

/** Where a stack's record of orders is. Nothing in it is a secret. */
export interface OrderRecords {
  /** @throws in words, where it can't be read */
  read(): Promise<OrderRecord>;
  /** Kept when this resolves. @throws in words, where it can't be written */
  write(record: OrderRecord): Promise<void>;
}

const order = { plan: z.string(), location: z.string(), at: z.string() };
const schema = z.object({
  attempts: z.array(z.object({ ...order, reason: z.string() })),
  pending: z.object({ ...order, reason: z.string().optional() }).optional(),
  ordered: z.string().optional(),
  shown: z.object({ wish: z.string(), monthly: z.number(), currency: z.string() }).optional(),
});

/** Room comes back: what failed longer ago is tried again. */
const memory = 24 * 3600 * 1000;

/** Reads a record (pure). What is no record is none: what comes of it is an attempt made twice, and a price that is shown anew. */
export function orderRecordOf(text: string | undefined): OrderRecord {
  try {
    return schema.parse(JSON.parse(text ?? ""));
  } catch {
    return { attempts: [] };
  }
}

export function orderRecordText(record: OrderRecord): string | undefined {
  const { attempts, pending, ordered, shown } = record;
  if (attempts.length === 0 && !pending && ordered === undefined && !shown) return undefined;
  return `${JSON.stringify(record, null, 2)}\n`;
}

export interface Settled {
  /** The provider said that it had no room for them; what failed for another reason is ordered again. */
  readonly attempts: readonly Attempt[];
  readonly failed?: Order | undefined;
}

/** Decides what is known of earlier orders (pure): only the provider's word that it has no room is a reason to try elsewhere. */
export function settled(
  { attempts, pending }: OrderRecord,
  now: number,
  isNoRoom: (words: string) => boolean,
  failure?: string,
): Settled {
  const fresh = (all: readonly Attempt[]) => all.filter(({ at }) => now - Date.parse(at) < memory);
  if (!pending) return { attempts: fresh(attempts) };
  const words = [pending.reason, failure].filter((each) => each !== undefined);
  const reason = words.find(isNoRoom);
  if (reason !== undefined) return { attempts: fresh([...attempts, { ...pending, reason }]) };
  return { attempts: fresh(attempts), failed: { ...pending, reason: words[0] } };
}
