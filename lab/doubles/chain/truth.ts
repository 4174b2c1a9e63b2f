import { z } from "zod";
import type { Stall } from "../stalls";
import type { NodeReport } from "./nodes";
import type { Slot } from "./production";
import type { RegisteredPillar } from "./registration";
import { type NodeSettings, nodeSettingsSchema } from "./settings";
import type { EpochClock } from "./timeline";

/** Initial state of a chain. */
export interface ChainOptions {
  /** Returns milliseconds. A test injects its own clock. */
  clock?: () => number;
  /** Initial height (default 14,900,000, the network's in late 2026). */
  height?: number;
  /** Chains with different ids have different hashes (default "lab"). */
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

/** The network as everyone sees it. */
export interface NetworkTruth {
  now: number;
  height: number;
  momentumSeconds: number;
  chainId: string;
}

/** A node's own settings and the state of the network. */
export interface NodeView {
  name: string;
  settings: NodeSettings;
  network: NetworkTruth;
}

/** A Pillar's production, as far as this chain saw it. */
export interface PillarStats {
  producedMomentums: number;
  expectedMomentums: number;
}

/** A Pillar's figures for a paid epoch, with the field names of the real network. */
export interface EpochFigures {
  name: string;
  epoch: number;
  giveBlockRewardPercentage: number;
  giveDelegateRewardPercentage: number;
  producedBlockNum: number;
  expectedBlockNum: number;
  weight: string;
}

/** A registered Pillar with its statistics. */
export type PillarView = RegisteredPillar & { currentStats: PillarStats };

/** The whole state of a chain. */
export interface ChainTruth extends EpochClock {
  network: NetworkTruth;
  epoch: number;
  /** Newest epoch with distributed rewards, or -1 before the first. */
  distributedEpoch: number;
  tickMomentums: number;
  backgroundPillars: number;
  defaults: NodeSettings;
  nodes: Record<string, { settings: NodeSettings; last: NodeReport | null }>;
  pillars: PillarView[];
  missed: Slot[];
  doubleProduced: Slot[];
  /**
   * Times in which the machine did not run this chain's process or a node's. Missed momentums of these times count
   * against nobody.
   */
  stalls: Stall[];
}
