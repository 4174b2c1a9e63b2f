import { z } from "zod";
import { nodeSettingsSchema } from "./settings.ts";

/** Initial state of a chain. */
export interface ChainOptions {
  /** Returns milliseconds. A test injects its own clock. */
  clock?: () => number;
  /** Initial height (default 14,900,000, the network's in late 2026). */
  height?: number;
  /** Chains with different ids have different hashes (default "lab"; "main": that of the main network). */
  chainId?: string;
}

/** Properties of the network that a test can change. */
export const truthPatchSchema = z
  .strictObject({
    momentumSeconds: z.number().positive(),
    height: z.number().int().positive(),
    /** Number of Pillars next to the registered ones. They always produce, and have less weight. */
    backgroundPillars: z.number().int().positive(),
    chainId: z.string(),
    /** Slots per tick. A producer that the wallet registers in one tick is elected two ticks later. */
    tickMomentums: z.number().int().positive(),
    /** Length of an epoch. A change renumbers all epochs, and epochs that ended before it are not paid again. */
    epochSeconds: z.number().int().positive(),
    /** Time from an epoch's end to its payment. */
    rewardDelaySeconds: z.number().nonnegative(),
    /** Settings of every node that has none of its own. */
    defaults: nodeSettingsSchema.partial(),
  })
  .partial();

export type TruthPatch = z.infer<typeof truthPatchSchema>;
