import { z } from "zod";
import { stallSchema } from "../stalls";

/** A node's report about itself, sent about every second. */
export const nodeReportSchema = z.strictObject({
  height: z.number().int().nonnegative(),
  /** State that the node's RPC returns. */
  state: z.number().int(),
  /** True if the node really is synced: it has the network's height, and it has peers. */
  synced: z.boolean(),
  /** Null if no producer is configured. */
  producerAddress: z.string().nullable(),
  /** Start of the process, in milliseconds. */
  startedAt: z.number(),
  /** Height of the node's chain at the start of the process. */
  startHeight: z.number().int().nonnegative(),
  /** True in the last report of a process that shuts down cleanly. */
  stopped: z.boolean().optional(),
  /** Times since the previous report in which the process was not run. */
  stalls: z.array(stallSchema).optional(),
});

/** A report with the time of its arrival. */
export type NodeReport = z.infer<typeof nodeReportSchema> & { at: number };

/** A node that sends no report for this long counts as down. */
export const liveMs = 3000;

/** Older reports are dropped: a sync of several days must not fill the memory. */
export const keptReports = 20_000;
