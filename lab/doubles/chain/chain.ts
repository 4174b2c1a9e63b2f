import type { Stall } from "../stalls";
import { Bridge } from "./bridge";
import { epochAt } from "./epochs";
import { Network } from "./network";
import { Orchestrators } from "./orchestrators";
import { type PillarPatch, registeredWeight } from "./pillars";
import { electorateOf, epochsOfPage } from "./pillarViews";
import { type RegisteredPillar, shownProducer } from "./registration";
import type { NodeReport } from "./reports";
import type { EpochReward, UncollectedReward } from "./rewards";
import type { NodeSettingsPatch } from "./settings";
import { Signers } from "./signers";
import { type Spork, usualSporks } from "./sporks";
import { startOf, tickAt } from "./ticks";
import type { ChainOptions, ChainTruth, EpochFigures, NodeView, PillarStats, PillarView } from "./truth";

/**
 * The state that all hosts share: the network's height, the registrations, the production, and each node's behavior.
 */
export class Chain extends Network {
  /** Signing intervals of all orchestrators. */
  readonly signers: Signers;
  readonly bridge = new Bridge();
  /** Changes of the network's rules. */
  sporks: readonly Spork[] = usualSporks;
  /** Commanded behavior of each orchestrator. */
  readonly orchestrators = new Orchestrators();
  private readonly stalls: Stall[] = [];

  constructor(options: ChainOptions = {}) {
    super(options);
    this.signers = new Signers(this.clock);
  }

  /** Returns a node's settings and the state of the network. An unknown name gets the default settings. */
  node(name: string): NodeView {
    return { name, settings: this.nodes.settings(name), network: this.network() };
  }

  /** Changes a node's settings. They stay until the next change. */
  patchNode(name: string, patch: NodeSettingsPatch): NodeView {
    this.nodes.patch(name, patch);
    return this.node(name);
  }

  /** Keeps a node's report with the time of its arrival. */
  report(name: string, report: Omit<NodeReport, "at">): void {
    this.nodes.keep(name, { ...report, at: this.clock() });
    this.settle();
  }

  /** Returns a node's reports, oldest first. */
  reportsOf(name: string): readonly NodeReport[] {
    return this.nodes.reports.get(name) ?? [];
  }

  /** Registers a Pillar, or sets its producer address, for a test. The change takes effect at once. */
  patchPillar(name: string, patch: PillarPatch): RegisteredPillar {
    const now = this.settle();
    this.schedule.elect();
    return this.registry.set(name, patch, { now, next: this.timeline.at(this.timeline.slotAt(now) + 1) });
  }

  /**
   * Updates a Pillar's producer address, as the wallet does. The wallet's block is in the next momentum: from then on
   * the RPC shows the new address. The contract's block is in the momentum after that: the address produces from the
   * second tick after it.
   * @throws Refused for a Pillar that nobody registered
   */
  updateProducer(name: string, producerAddress: string): RegisteredPillar {
    const slot = this.timeline.slotAt(this.settle());
    const { ticks } = this.schedule;
    const from = startOf(ticks, tickAt(ticks, this.timeline.at(slot + 2)) + 2);
    return this.registry.update(name, producerAddress, { shownFrom: this.timeline.at(slot + 1), from });
  }

  /** Returns a Pillar with its current statistics, or null if nobody registered it. */
  pillar(name: string): PillarView | null {
    const now = this.settle();
    const pillar = this.registry.get(name);
    return pillar === undefined ? null : this.viewOf(pillar, now);
  }

  /** Returns all registered Pillars in the order of their registration. */
  allPillars(): PillarView[] {
    const now = this.settle();
    return this.registry.all().map((pillar) => this.viewOf(pillar, now));
  }

  /** Returns all Pillars of the network by descending weight. */
  electorate(): PillarView[] {
    return electorateOf(this.allPillars(), this.schedule.background());
  }

  /** Returns a Pillar's exact figures for each paid epoch, newest first. */
  epochsOf(name: string, page: number, size: number): { count: number; list: EpochFigures[] } {
    this.settle();
    const count = this.registry.get(name) === undefined ? 0 : this.rewards.distributed + 1;
    const list = epochsOfPage(count, page, size).map((epoch) => {
      const { produced, expected } = this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
      return {
        name,
        epoch,
        producedBlockNum: produced,
        expectedBlockNum: expected,
        weight: registeredWeight,
        giveBlockRewardPercentage: 0,
        giveDelegateRewardPercentage: 100,
      };
    });
    return { count, list };
  }

  /** Collects an address's rewards, as the wallet does, and returns them. */
  collectRewards(address: string): UncollectedReward {
    this.settle();
    return this.rewards.collect(address);
  }

  /** Returns the rewards that an address has not collected. */
  uncollectedReward(address: string): UncollectedReward {
    this.settle();
    return this.rewards.of(address);
  }

  /** Returns a page of an address's rewards, newest epoch first. */
  rewardPage(address: string, page: number, size: number): { count: number; list: EpochReward[] } {
    this.settle();
    return this.rewards.page(address, page, size);
  }

  /** Notes a time in which the chain's own process did not run: reports of that time arrive late. */
  stalled(stall: Stall): void {
    this.stalls.push(stall);
  }

  /** Returns the whole state, for a test or a person to inspect. */
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
      stalls: [...this.stalls, ...this.nodes.stalls()],
    };
  }

  private viewOf(pillar: RegisteredPillar, now: number): PillarView {
    return { ...pillar, producerAddress: shownProducer(pillar, now), currentStats: this.stats(pillar.name, now) };
  }

  /** Counts a Pillar's momentums in the running epoch. */
  private stats(name: string, now: number): PillarStats {
    const epoch = epochAt(this.epochs(), Math.floor(now / 1000));
    const { produced, expected } = this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
    // The real node counts the whole running tick as expected from its beginning.
    return { producedMomentums: produced, expectedMomentums: expected + this.schedule.ahead(name, now) };
  }
}
