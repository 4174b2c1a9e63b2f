import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Attempt } from "./plan";

/** What was ordered and did not come back yet. */
export type Order = Omit<Attempt, "reason">;

/** The orders of a stack's server that came to nothing, and the one that is on its way. */
export interface OrderRecord {
  readonly attempts: readonly Attempt[];
  readonly pending?: Order | undefined;
  /** The server's number, once it came: no run was let in by it yet. */
  readonly ordered?: string | undefined;
}

const order = { plan: z.string(), location: z.string(), at: z.string() };
const schema = z.object({
  attempts: z.array(z.object({ ...order, reason: z.string() })),
  pending: z.object(order).optional(),
  ordered: z.string().optional(),
});

/** Room comes back: what failed longer ago is tried again. */
const memory = 24 * 3600 * 1000;

/** What the engine does not tell the program; it printed it. */
const unknownReason = "the provider did not make it (its words are in the output of that run)";

/** The record beside the stack's file: `Pulumi.<stack>.attempts.json`. Nothing in it is a secret. */
export function recordFile(stack: string, directory = process.cwd()): string {
  return `${directory}/Pulumi.${stack}.attempts.json`;
}

/** An unreadable record is none: the worst that comes of it is an attempt made twice. */
export function readRecord(file: string): OrderRecord {
  if (!existsSync(file)) return { attempts: [] };
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return { attempts: [] };
  }
}

/** Written whole or not at all; without anything in it, removed. */
export function writeRecord(file: string, record: OrderRecord): void {
  if (record.attempts.length === 0 && record.pending === undefined && record.ordered === undefined) {
    rmSync(file, { force: true });
    return;
  }
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/**
 * What is known of earlier orders (pure): one that is on its way and has no server came to nothing.
 *
 * @param failure why the server that it left was not made to its end, in the provider's words
 */
export function settled({ attempts, pending }: OrderRecord, now: number, failure = unknownReason): readonly Attempt[] {
  const all = pending ? [...attempts, { ...pending, reason: failure }] : attempts;
  return all.filter(({ at }) => now - Date.parse(at) < memory);
}
