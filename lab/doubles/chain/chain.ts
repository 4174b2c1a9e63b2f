import {
  backgroundProducer,
  heightAt,
  heightOfHash,
  type Momentum,
  momentumAt,
  momentumHash,
  type Segment,
} from "./momentum";
import { merge, Nodes } from "./nodes";
import { Orchestrators } from "./orchestrators";
import {
  type EpochReward,
  effectiveProducer,
  newPillar,
  type Pillar,
  type PillarPatch,
  type RewardsPatch,
  type UncollectedReward,
} from "./pillars";
import { producingNodes, type Slot } from "./production";
import type { NodeReport } from "./reports";
import type { NodeSettingsPatch } from "./settings";
import { Signers } from "./signers";
import type { ChainOptions, ChainTruth, NetworkTruth, NodeView, PillarStats, TruthPatch } from "./truth";

/** One truth for all hosts: the network's height, who is registered, who produced, and how each node shall behave. */
export class Chain {
  /** Who signed for the bridge, and when. */
  readonly signers: Signers;
  /** How each orchestrator shall behave. */
  readonly orchestrators = new Orchestrators();
  private readonly clock: () => number;
  private segments: Segment[];
  private chainId: string;
  private backgroundPillars = 3;
  private readonly nodes = new Nodes();
  private readonly pillars = new Map<string, Pillar>();
  private readonly uncollected = new Map<string, UncollectedReward>();
  private readonly rewards = new Map<string, EpochReward[]>();
  private readonly slots: Slot[] = [];
  private readonly slotAt = new Map<number, Slot>();
  private settled: number;

  constructor(options: ChainOptions = {}) {
    this.clock = options.clock ?? Date.now;
    this.signers = new Signers(this.clock);
    this.chainId = options.chainId ?? "lab";
    const height = options.height ?? 14_900_000;
    this.segments = [{ height, at: this.clock(), momentumSeconds: options.momentumSeconds ?? 10 }];
    this.settled = height;
  }

  /** The network now. */
  network(): NetworkTruth {
    const now = this.clock();
    const momentumSeconds = this.segments.at(-1)?.momentumSeconds ?? 10;
    return { now, height: heightAt(this.segments, now), momentumSeconds, chainId: this.chainId };
  }

  /** Changes the network; a new pace or height counts from now on, what was stays as it was. */
  patchTruth(patch: TruthPatch): void {
    const { now, height, momentumSeconds } = this.network();
    this.settle();
    if (patch.momentumSeconds !== undefined || patch.height !== undefined) {
      const next = {
        height: patch.height ?? height,
        at: now,
        momentumSeconds: patch.momentumSeconds ?? momentumSeconds,
      };
      // A new pace alone begins at the newest momentum, not between two.
      if (patch.height === undefined) next.at = momentumAt(this.segments, height);
      this.segments = [...this.segments.filter((segment) => segment.height < next.height), next];
      if (patch.height !== undefined) this.settled = patch.height;
    }
    this.backgroundPillars = patch.backgroundPillars ?? this.backgroundPillars;
    this.chainId = patch.chainId ?? this.chainId;
    this.nodes.defaults = merge(this.nodes.defaults, patch.defaults ?? {});
  }

  /** What a node shall do and what the network is; a name never heard of gets the defaults. */
  node(name: string): NodeView {
    return { name, settings: this.nodes.settings(name), network: this.network() };
  }

  /** Changes a node's settings; they stay until they are changed again. */
  patchNode(name: string, patch: NodeSettingsPatch): NodeView {
    this.nodes.patch(name, patch);
    return this.node(name);
  }

  /** Forgets a node's own settings and reports. */
  forgetNode(name: string): void {
    this.settle();
    this.nodes.forget(name);
  }

  /** Keeps what a node tells, with the time. */
  report(name: string, report: Omit<NodeReport, "at">): void {
    this.nodes.keep(name, { ...report, at: this.clock() });
    this.settle();
  }

  /** A node's reports, oldest first. */
  reportsOf(name: string): readonly NodeReport[] {
    return this.nodes.reports.get(name) ?? [];
  }

  /** A momentum of the network; undefined when it does not exist yet. */
  momentum(height: number): Momentum | undefined {
    return this.momentums(height, 1)[0];
  }

  /** Up to `count` momentums from a height on, as far as they exist. */
  momentums(from: number, count: number): Momentum[] {
    this.settle();
    const first = Math.max(1, from);
    const last = Math.min(from + count - 1, this.network().height);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => this.momentumOf(first + index));
  }

  /** The momentum with this hash; undefined when there is none yet. */
  momentumByHash(hash: string): Momentum | undefined {
    return this.momentum(heightOfHash(this.chainId, hash) ?? 0);
  }

  private momentumOf(height: number): Momentum {
    const slot = this.slotAt.get(height);
    return {
      height,
      hash: momentumHash(this.chainId, height),
      previousHash: momentumHash(this.chainId, height - 1),
      timestamp: Math.floor(momentumAt(this.segments, height) / 1000),
      producer: slot?.nodes.length ? slot.producer : backgroundProducer(height, this.backgroundPillars),
    };
  }

  /** Registers a Pillar or updates it: the wallet's part. */
  patchPillar(name: string, patch: PillarPatch): Pillar {
    this.settle();
    const pillar = merge(this.pillars.get(name) ?? newPillar(name, this.pillars.size), patch);
    this.pillars.set(name, pillar);
    return pillar;
  }

  /** A Pillar with its current statistics; null when nobody registered it. */
  pillar(name: string): (Pillar & { currentStats: PillarStats }) | null {
    this.settle();
    const pillar = this.pillars.get(name);
    return pillar === undefined ? null : { ...pillar, currentStats: this.stats(name) };
  }

  /** All registered Pillars, in the order of their registration. */
  allPillars(): (Pillar & { currentStats: PillarStats })[] {
    return [...this.pillars.values()].map((pillar) => ({ ...pillar, currentStats: this.stats(pillar.name) }));
  }

  /** Sets what an address has earned. */
  patchRewards(address: string, patch: RewardsPatch): void {
    if (patch.uncollected !== undefined) this.uncollected.set(address, { address, ...patch.uncollected });
    if (patch.history !== undefined)
      this.rewards.set(
        address,
        [...patch.history].sort((a, b) => b.epoch - a.epoch),
      );
  }

  /** What an address has not collected. */
  uncollectedReward(address: string): UncollectedReward {
    return this.uncollected.get(address) ?? { address, znnAmount: "0", qsrAmount: "0" };
  }

  /** A page of an address's rewards, newest epoch first. */
  rewardPage(address: string, page: number, size: number): { count: number; list: EpochReward[] } {
    const all = this.rewards.get(address) ?? [];
    return { count: all.length, list: all.slice(page * size, (page + 1) * size) };
  }

  /** Every momentum that a registered Pillar was to produce since the chain began. */
  production(): readonly Slot[] {
    this.settle();
    return this.slots;
  }

  /** Momentums that a Pillar was to produce and nobody did. */
  missed(pillar?: string): Slot[] {
    return this.production().filter((slot) => slot.nodes.length === 0 && (pillar ?? slot.pillar) === slot.pillar);
  }

  /** Momentums that more than one node produced: two producers with one key. */
  doubleProduced(): Slot[] {
    return this.production().filter((slot) => slot.nodes.length > 1);
  }

  /** Peer identities that more than one live node uses now. */
  sharedIdentities(): string[][] {
    return this.nodes.sharedIdentities(this.clock());
  }

  /** Everything, for a test or a person to look at. */
  truth(): ChainTruth {
    this.settle();
    const nodes = this.nodes.names().map((name) => {
      return [name, { settings: this.nodes.settings(name), last: this.reportsOf(name).at(-1) ?? null }] as const;
    });
    return {
      network: this.network(),
      backgroundPillars: this.backgroundPillars,
      defaults: this.nodes.defaults,
      nodes: Object.fromEntries(nodes),
      pillars: this.allPillars(),
      missed: this.missed(),
      doubleProduced: this.doubleProduced(),
      sharedIdentities: this.sharedIdentities(),
    };
  }

  private stats(name: string): PillarStats {
    const own = this.slots.filter((slot) => slot.pillar === name);
    const { height } = this.network();
    const tickEnd = Math.ceil((height + 1) / tickMomentums) * tickMomentums;
    let ahead = 0;
    for (let h = height + 1; h < tickEnd; h++) if (this.slotHolder(h)?.name === name) ahead++;
    return {
      producedMomentums: own.filter((slot) => slot.nodes.length > 0).length,
      // The real node counts the whole running tick as expected from its beginning.
      expectedMomentums: own.length + ahead,
    };
  }

  private slotHolder(height: number): Pillar | undefined {
    const registered = [...this.pillars.values()];
    return registered[height % (registered.length + this.backgroundPillars)];
  }

  private settle(): void {
    const { height } = this.network();
    // A jump of the clock by days needs no record of each momentum of those days.
    const first = Math.max(this.settled + 1, height - settledAtOnce);
    for (let h = first; h <= height; h++) {
      const pillar = this.slotHolder(h);
      if (pillar === undefined) continue;
      const at = momentumAt(this.segments, h);
      const producer = effectiveProducer(pillar, h);
      const nodes = producingNodes(this.nodes.reports, producer, at);
      const slot = { height: h, at, pillar: pillar.name, producer, nodes };
      this.slots.push(slot);
      this.slotAt.set(h, slot);
    }
    this.settled = Math.max(this.settled, height);
  }
}

/** Momentums in one tick of the election, 5 minutes. */
export const tickMomentums = 30;

const settledAtOnce = 100_000;
