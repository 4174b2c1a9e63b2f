import type { Stall } from "../stalls";
import type { EpochClock } from "./epochs";
import type { Slot } from "./production";
import type { RegisteredPillar } from "./registration";
import type { NodeReport } from "./reports";
import type { NodeSettings, NodeSettingsPatch } from "./settings";

/** How a chain begins. */
export interface ChainOptions {
  /** Milliseconds; a test injects its own. */
  clock?: () => number;
  /** Seconds between two momentums (default 10). */
  momentumSeconds?: number;
  /** Height at the start (default 14,900,000, the network's in late 2026). */
  height?: number;
  /** Two chains with different ids have different hashes (default "lab"). */
  chainId?: string;
}

/** What a test can change of the network. */
export interface TruthPatch {
  momentumSeconds?: number | undefined;
  height?: number | undefined;
  /** Pillars beside the registered ones, which always produce, with less weight than these have by default. */
  backgroundPillars?: number | undefined;
  chainId?: string | undefined;
  /** Slots of a tick; what the wallet registers in one is elected in the next but one. */
  tickMomentums?: number | undefined;
  /** Length of an epoch. Another one numbers all epochs anew, and what ended before the change is not paid again. */
  epochSeconds?: number | undefined;
  /** How long after its end an epoch is paid. */
  rewardDelaySeconds?: number | undefined;
  /** Settings of every node that has none of its own. */
  defaults?: NodeSettingsPatch | undefined;
}

/** The network as everyone sees it. */
export interface NetworkTruth {
  now: number;
  height: number;
  momentumSeconds: number;
  chainId: string;
}

/** What a node gets about itself. */
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

/** What a Pillar did in an epoch that was paid, in the network's words. */
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

/** Everything that a chain knows. */
export interface ChainTruth extends EpochClock {
  network: NetworkTruth;
  /** The running epoch. */
  epoch: number;
  /** The newest epoch whose rewards are distributed; -1 before the first. */
  distributedEpoch: number;
  tickMomentums: number;
  backgroundPillars: number;
  defaults: NodeSettings;
  nodes: Record<string, { settings: NodeSettings; last: NodeReport | null }>;
  pillars: PillarView[];
  missed: Slot[];
  doubleProduced: Slot[];
  sharedIdentities: string[][];
  /** When this chain, or a node, was not run by its machine: what was missed then is none of their doing. */
  stalls: Stall[];
}
