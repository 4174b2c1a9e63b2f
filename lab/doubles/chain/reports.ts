import { z } from "zod";
import { stallSchema } from "../stalls";

/** What a node tells the chain double about itself, about every second. */
export const nodeReportSchema = z.strictObject({
  height: z.number().int().nonnegative(),
  /** The state its RPC gives. */
  state: z.number().int(),
  /** The truth: its height is the network's and it has peers. */
  synced: z.boolean(),
  /** Absent when no producer is configured. */
  producerAddress: z.string().nullable(),
  /** Public half of its peer identity: one identity must never run on two hosts at once. */
  identity: z.string(),
  /** Start of the process, milliseconds. */
  startedAt: z.number(),
  /** The height that its chain had then. */
  startHeight: z.number().int().nonnegative(),
  /** Set in the last report of a process that ends in order. */
  stopped: z.boolean().optional(),
  /** Since the report before: when the process was not run. */
  stalls: z.array(stallSchema).optional(),
});

/** A report with the time of its arrival. */
export type NodeReport = z.infer<typeof nodeReportSchema> & { at: number };

/** A node that has not reported for this long is down. */
export const liveMs = 3000;

/** Oldest reports are forgotten beyond this number: days of a sync must not fill the memory. */
export const keptReports = 20_000;
