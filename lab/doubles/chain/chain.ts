import { dueEpoch, type EpochClock, epochAt } from "./epochs";
import { backgroundProducer, heightOfHash, type Momentum, momentumHash } from "./momentum";
import { merge, Nodes } from "./nodes";
import { Orchestrators } from "./orchestrators";
import type { PillarPatch } from "./pillars";
import { Production, producingNodes, type Slot } from "./production";
import { effectiveProducer, endOfTick, type RegisteredPillar, Registry } from "./registration";
import type { NodeReport } from "./reports";
import { type EpochReward, Rewards, type RewardsPatch, type UncollectedReward } from "./rewards";
import type { NodeSettingsPatch } from "./settings";
import { Signers } from "./signers";
import { Timeline } from "./timeline";
import type { ChainOptions, ChainTruth, NetworkTruth, NodeView, PillarStats, PillarView, TruthPatch } from "./truth";

/** One truth for all hosts: the network's height, who is registered, who produced, and how each node shall behave. */
export class Chain {
  /** Who signed for the bridge, and when. */
  readonly signers: Signers;
  /** How each orchestrator shall behave. */
  readonly orchestrators = new Orchestrators();
  private readonly clock: () => number;
  private readonly timeline: Timeline;
  private chainId: string;
  private backgroundPillars = 3;
  private readonly nodes = new Nodes();
  private readonly registry = new Registry();
  private readonly rewards = new Rewards();
  private readonly slots: Production;
  private epochSeconds = 86_400;
  private rewardDelaySeconds = 3600;

  constructor(options: ChainOptions = {}) {
    this.clock = options.clock ?? Date.now;
    this.signers = new Signers(this.clock);
    this.chainId = options.chainId ?? "lab";
    const height = options.height ?? 14_900_000;
    const now = this.clock();
    this.timeline = new Timeline(height, now, options.momentumSeconds ?? 10);
    this.slots = new Production(height);
    this.rewards.recount(dueEpoch(this.epochs(), now / 1000));
  }

  /** The network now. */
  network(): NetworkTruth {
    const now = this.clock();
    const { momentumSeconds } = this.timeline;
    return { now, height: this.timeline.heightAt(now), momentumSeconds, chainId: this.chainId };
  }

  /** Changes the network; a new pace or height counts from now on, what was stays as it was. */
  patchTruth(patch: TruthPatch): void {
    const now = this.settle();
    if (patch.momentumSeconds !== undefined || patch.height !== undefined) this.timeline.change(now, patch);
    if (patch.height !== undefined) this.slots.jump(patch.height);
    this.backgroundPillars = patch.backgroundPillars ?? this.backgroundPillars;
    this.chainId = patch.chainId ?? this.chainId;
    this.nodes.defaults = merge(this.nodes.defaults, patch.defaults ?? {});
    this.registry.tickMomentums = patch.tickMomentums ?? this.registry.tickMomentums;
    this.rewardDelaySeconds = patch.rewardDelaySeconds ?? this.rewardDelaySeconds;
    const { epochSeconds = this.epochSeconds } = patch;
    if (epochSeconds !== this.epochSeconds) {
      this.epochSeconds = epochSeconds;
      this.rewards.recount(dueEpoch(this.epochs(), now / 1000));
    }
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
    const first = Math.max(1, from);
    const last = Math.min(from + count - 1, this.timeline.heightAt(this.settle()));
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => this.momentumOf(first + index));
  }

  /** The momentum with this hash; undefined when there is none yet. */
  momentumByHash(hash: string): Momentum | undefined {
    return this.momentum(heightOfHash(this.chainId, hash) ?? 0);
  }

  /** Registers a Pillar or updates it, for a test: it counts at once. */
  patchPillar(name: string, patch: PillarPatch): RegisteredPillar {
    return this.registry.set(name, patch, this.timeline.heightAt(this.settle()));
  }

  /**
   * The wallet's update of a Pillar's producer address, which takes effect two ticks later.
   *
   * @throws Refused where the real network refuses
   */
  updateProducer(name: string, producerAddress: string): RegisteredPillar {
    return this.registry.update(name, producerAddress, this.timeline.heightAt(this.settle()));
  }

  /** A Pillar with its current statistics; null when nobody registered it. */
  pillar(name: string): PillarView | null {
    this.settle();
    const pillar = this.registry.get(name);
    return pillar === undefined ? null : { ...pillar, currentStats: this.stats(name) };
  }

  /** All registered Pillars, in the order of their registration. */
  allPillars(): PillarView[] {
    this.settle();
    return this.registry.all().map((pillar) => ({ ...pillar, currentStats: this.stats(pillar.name) }));
  }

  /** Sets what an address has earned so far; epochs to come add to it. */
  patchRewards(address: string, patch: RewardsPatch): void {
    this.settle();
    this.rewards.patch(address, patch);
  }

  /** The wallet's collection of an address's rewards: gives what it was. */
  collectRewards(address: string): UncollectedReward {
    this.settle();
    return this.rewards.collect(address);
  }

  /** What an address has not collected. */
  uncollectedReward(address: string): UncollectedReward {
    this.settle();
    return this.rewards.of(address);
  }

  /** A page of an address's rewards, newest epoch first. */
  rewardPage(address: string, page: number, size: number): { count: number; list: EpochReward[] } {
    this.settle();
    return this.rewards.page(address, page, size);
  }

  /** Every momentum that a registered Pillar was to produce since the chain began. */
  production(): readonly Slot[] {
    this.settle();
    return this.slots.slots;
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
    const now = this.settle();
    const nodes = this.nodes.names().map((name) => {
      return [name, { settings: this.nodes.settings(name), last: this.reportsOf(name).at(-1) ?? null }] as const;
    });
    return {
      network: this.network(),
      ...this.epochs(),
      epoch: epochAt(this.epochs(), now / 1000),
      distributedEpoch: this.rewards.distributed,
      tickMomentums: this.registry.tickMomentums,
      backgroundPillars: this.backgroundPillars,
      defaults: this.nodes.defaults,
      nodes: Object.fromEntries(nodes),
      pillars: this.allPillars(),
      missed: this.missed(),
      doubleProduced: this.doubleProduced(),
      sharedIdentities: this.sharedIdentities(),
    };
  }

  private epochs(): EpochClock {
    const { epochSeconds, rewardDelaySeconds } = this;
    return { genesis: this.timeline.genesis, epochSeconds, rewardDelaySeconds };
  }

  private momentumOf(height: number): Momentum {
    const slot = this.slots.at(height);
    return {
      height,
      hash: momentumHash(this.chainId, height),
      previousHash: momentumHash(this.chainId, height - 1),
      timestamp: Math.floor(this.timeline.at(height) / 1000),
      producer: slot?.nodes.length ? slot.producer : backgroundProducer(height, this.backgroundPillars),
    };
  }

  private stats(name: string): PillarStats {
    const { height } = this.network();
    const tickEnd = endOfTick(height, this.registry.tickMomentums);
    let ahead = 0;
    for (let h = height + 1; h < tickEnd; h++) if (this.slotHolder(h)?.name === name) ahead++;
    const { produced, expected } = this.slots.count(name);
    // The real node counts the whole running tick as expected from its beginning.
    return { producedMomentums: produced, expectedMomentums: expected + ahead };
  }

  private slotHolder(height: number): RegisteredPillar | undefined {
    const registered = this.registry.all();
    return registered[height % (registered.length + this.backgroundPillars)];
  }

  private slotOf(height: number): Slot | undefined {
    const pillar = this.slotHolder(height);
    if (pillar === undefined) return undefined;
    const at = this.timeline.at(height);
    const producer = effectiveProducer(pillar, height);
    return { height, at, pillar: pillar.name, producer, nodes: producingNodes(this.nodes.reports, producer, at) };
  }

  /** Brings production and rewards up to now, and gives the now. */
  private settle(): number {
    const now = this.clock();
    this.slots.settle(this.timeline.heightAt(now), (height) => this.slotOf(height));
    const epochs = this.epochs();
    this.rewards.distribute({
      slots: this.slots.slots,
      due: dueEpoch(epochs, now / 1000),
      epochOf: ({ at }) => epochAt(epochs, Math.floor(at / 1000)),
      addressOf: ({ pillar }) => this.registry.get(pillar)?.withdrawAddress,
    });
    return now;
  }
}
