import type { Stall } from "../stalls";
import { Bridge } from "./bridge";
import { epochAt } from "./epochs";
import { Network } from "./network";
import { Orchestrators } from "./orchestrators";
import type { PillarPatch } from "./pillars";
import { electorateOf, epochFigures, epochsOfPage } from "./pillarViews";
import { type RegisteredPillar, shownProducer } from "./registration";
import type { NodeReport } from "./reports";
import type { EpochReward, RewardsPatch, UncollectedReward } from "./rewards";
import type { NodeSettingsPatch } from "./settings";
import { Signers } from "./signers";
import { type Spork, usualSporks } from "./sporks";
import { startOf, tickAt } from "./ticks";
import type { ChainOptions, ChainTruth, EpochFigures, NodeView, PillarStats, PillarView } from "./truth";

/** One truth for all hosts: the network's height, who is registered, who produced, and how each node shall behave. */
export class Chain extends Network {
  /** Who signed for the bridge, and when. */
  readonly signers: Signers;
  /** The bridge's contract. */
  readonly bridge = new Bridge();
  /** Changes of the network's rules. */
  sporks: readonly Spork[] = usualSporks;
  /** How each orchestrator shall behave. */
  readonly orchestrators = new Orchestrators();
  private readonly stalls: Stall[] = [];

  constructor(options: ChainOptions = {}) {
    super(options);
    this.signers = new Signers(this.clock);
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

  /** Registers a Pillar or updates it, for a test: it counts at once. */
  patchPillar(name: string, patch: PillarPatch): RegisteredPillar {
    const now = this.settle();
    this.schedule.elect();
    return this.registry.set(name, patch, { now, next: this.timeline.at(this.timeline.slotAt(now) + 1) });
  }

  /**
   * The wallet's update of a Pillar's producer address. Its own block is in the next momentum, from which on the RPC
   * shows the address; the contract's is in the one after that, and counts from the tick after the next.
   *
   * @throws Refused for a Pillar that nobody registered
   */
  updateProducer(name: string, producerAddress: string): RegisteredPillar {
    const slot = this.timeline.slotAt(this.settle());
    const { ticks } = this.schedule;
    const from = startOf(ticks, tickAt(ticks, this.timeline.at(slot + 2)) + 2);
    return this.registry.update(name, producerAddress, { shownFrom: this.timeline.at(slot + 1), from });
  }

  /** A Pillar with its current statistics; null when nobody registered it. */
  pillar(name: string): PillarView | null {
    const now = this.settle();
    const pillar = this.registry.get(name);
    return pillar === undefined ? null : this.viewOf(pillar, now);
  }

  /** All registered Pillars, in the order of their registration. */
  allPillars(): PillarView[] {
    const now = this.settle();
    return this.registry.all().map((pillar) => this.viewOf(pillar, now));
  }

  /** All Pillars of the network, the one with most weight first. */
  electorate(): PillarView[] {
    return electorateOf(this.allPillars(), this.schedule.background());
  }

  /** A Pillar's exact figures of each epoch that was paid, newest first. */
  epochsOf(name: string, page: number, size: number): { count: number; list: EpochFigures[] } {
    this.settle();
    const pillar = this.registry.get(name);
    const count = pillar === undefined ? 0 : this.rewards.distributed + 1;
    const figures = (epoch: number) => this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
    return { count, list: epochFigures({ ...pillar, name }, epochsOfPage(count, page, size), figures) };
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

  /** Peer identities that more than one live node uses now. */
  sharedIdentities(): string[][] {
    return this.nodes.sharedIdentities(this.clock());
  }

  /** This chain's own process was not run: reports of that time arrive late. */
  stalled(stall: Stall): void {
    this.stalls.push(stall);
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
      tickMomentums: this.schedule.tickMomentums,
      backgroundPillars: this.schedule.backgroundPillars,
      defaults: this.nodes.defaults,
      nodes: Object.fromEntries(nodes),
      pillars: this.allPillars(),
      missed: this.missed(),
      doubleProduced: this.doubleProduced(),
      sharedIdentities: this.sharedIdentities(),
      stalls: [...this.stalls, ...this.nodes.stalls()],
    };
  }

  private viewOf(pillar: RegisteredPillar, now: number): PillarView {
    return { ...pillar, producerAddress: shownProducer(pillar, now), currentStats: this.stats(pillar.name, now) };
  }

  /** Of the running epoch. */
  private stats(name: string, now: number): PillarStats {
    const epoch = epochAt(this.epochs(), Math.floor(now / 1000));
    const { produced, expected } = this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
    // The real node counts the whole running tick as expected from its beginning.
    return { producedMomentums: produced, expectedMomentums: expected + this.schedule.ahead(name, now) };
  }
}
