import type { Stall } from "../stalls.ts";
import { Bridge, type Spork, usualSporks } from "./bridge.ts";
import { merge, type NodeReport, Nodes, Orchestrators } from "./nodes.ts";
import { Production, producingNodes, type Slot } from "./production.ts";
import {
  backgroundWeight,
  effectiveProducer,
  newPillar,
  type PillarPatch,
  type RegisteredPillar,
  Registry,
  shownProducer,
} from "./registration.ts";
import { Rewards } from "./rewards.ts";
import { Schedule } from "./schedule.ts";
import type { NodeSettingsPatch } from "./settings.ts";
import { Signers } from "./signers.ts";
import {
  dueEpoch,
  type EpochClock,
  epochAt,
  Gaps,
  type Momentum,
  momentumHash,
  startOf,
  Timeline,
  tickAt,
} from "./timeline.ts";
import type { ChainOptions, TruthPatch } from "./truth.ts";

/** The network as everyone sees it. */
export type NetworkTruth = ReturnType<Chain["network"]>;
/** A node's own settings and the state of the network. */
export type NodeView = ReturnType<Chain["node"]>;
/** A registered Pillar with its statistics. */
export type PillarView = ReturnType<Chain["allPillars"]>[number];
/** The whole state of a chain. */
export type ChainTruth = ReturnType<Chain["truth"]>;

/**
 * The state that all hosts share: the network's height, the registrations, the production, and each node's behavior.
 */
export class Chain {
  /** Signing intervals of all orchestrators. */
  readonly signers: Signers;
  readonly bridge = new Bridge();
  /** Changes of the network's rules. */
  sporks: readonly Spork[] = usualSporks;
  /** Commanded behavior of each orchestrator. */
  readonly orchestrators = new Orchestrators();
  /** Times in which the chain's own process did not run: reports of these times arrived late. */
  readonly stalls: Stall[] = [];
  private readonly clock: () => number;
  private readonly timeline: Timeline;
  private readonly gaps = new Gaps();
  private chainId: string;
  private readonly nodes = new Nodes();
  private readonly registry = new Registry();
  private readonly payments = new Rewards();
  private readonly slots: Production;
  private readonly schedule: Schedule;
  private epochSeconds = 86_400;
  private rewardDelaySeconds = 3600;

  constructor(options: ChainOptions = {}) {
    this.clock = options.clock ?? Date.now;
    this.chainId = options.chainId ?? "lab";
    const height = options.height ?? 14_900_000;
    const now = this.clock();
    this.timeline = new Timeline(height, now);
    this.slots = new Production(height);
    this.schedule = new Schedule(this.timeline, this.registry, () => this.chainId);
    this.signers = new Signers(this.clock);
    this.payments.recount(dueEpoch(this.epochs(), now / 1000));
  }

  /** Returns the current state of the network. */
  network() {
    const now = this.settle();
    const { momentumSeconds } = this.timeline;
    return { now, height: this.gaps.heightOf(this.timeline.slotAt(now)), momentumSeconds, chainId: this.chainId };
  }

  /** Changes the network. A new pace or height applies from now on and leaves the past unchanged. */
  patchTruth(patch: TruthPatch): void {
    const now = this.settle();
    const { height, momentumSeconds } = patch;
    if (height !== undefined) {
      // A test that lowers the height starts over without the missed slots.
      if (height < this.network().height) this.gaps.empty.length = 0;
      const slot = height + this.gaps.empty.length;
      this.timeline.change(now, { height: slot, momentumSeconds });
      this.slots.settled = slot;
    } else if (momentumSeconds !== undefined) this.timeline.change(now, { momentumSeconds });
    this.schedule.backgroundPillars = patch.backgroundPillars ?? this.schedule.backgroundPillars;
    this.chainId = patch.chainId ?? this.chainId;
    this.nodes.defaults = merge(this.nodes.defaults, patch.defaults ?? {});
    this.schedule.tickMomentums = patch.tickMomentums ?? this.schedule.tickMomentums;
    this.rewardDelaySeconds = patch.rewardDelaySeconds ?? this.rewardDelaySeconds;
    const { epochSeconds = this.epochSeconds } = patch;
    if (epochSeconds !== this.epochSeconds) {
      this.epochSeconds = epochSeconds;
      this.payments.recount(dueEpoch(this.epochs(), now / 1000));
    }
  }

  /** Returns the momentum at a height, or undefined if it does not exist yet. */
  momentum(height: number): Momentum | undefined {
    return this.momentums(height, 1)[0];
  }

  /** Returns up to `count` existing momentums from a height on. */
  momentums(from: number, count: number): Momentum[] {
    const first = Math.max(1, from);
    const last = Math.min(from + count - 1, this.network().height);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => this.momentumOf(first + index));
  }

  /** Returns the last momentum with a timestamp before `seconds`, or undefined if none is. */
  momentumBefore(seconds: number): Momentum | undefined {
    let [low, high] = [0, this.network().height];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (Math.floor(this.timeline.at(this.gaps.slotOf(middle)) / 1000) < seconds) low = middle;
      else high = middle - 1;
    }
    return this.momentum(low);
  }

  /** Returns every momentum that a registered Pillar was elected to produce since the chain began. */
  production(): readonly Slot[] {
    this.settle();
    return this.slots.slots;
  }

  /** Returns the momentums that a Pillar was elected to produce and nobody produced. */
  missed(pillar?: string): Slot[] {
    return this.production().filter((slot) => slot.nodes.length === 0 && (pillar ?? slot.pillar) === slot.pillar);
  }

  /** Returns the momentums that more than one node produced: two nodes had the same producer key. */
  doubleProduced(): Slot[] {
    return this.production().filter((slot) => slot.nodes.length > 1);
  }

  private epochs(): EpochClock {
    const { epochSeconds, rewardDelaySeconds } = this;
    return { genesis: this.timeline.genesis, epochSeconds, rewardDelaySeconds };
  }

  private epochOf({ at }: Slot): number {
    return epochAt(this.epochs(), Math.floor(at / 1000));
  }

  private slotOf(number: number): Slot | undefined {
    const pillar = this.registry.get(this.schedule.holderOf(number) ?? "");
    if (pillar === undefined) return undefined;
    const at = this.timeline.at(number);
    const producer = effectiveProducer(pillar, at);
    const { ticks } = this.schedule;
    const tick = tickAt(ticks, at);
    // The election of a tick uses the chain as it was at the end of the tick before the last.
    const proved = this.gaps.heightOf(this.timeline.slotBefore(startOf(ticks, tick - 1)));
    const proof = { start: startOf(ticks, tick), height: proved };
    const nodes = producingNodes(this.nodes.reports, producer, at, proof);
    if (nodes.length === 0) this.gaps.empty.push(number);
    const height = this.gaps.heightOf(number) + (nodes.length === 0 ? 1 : 0);
    return { height, at, pillar: pillar.name, producer, nodes };
  }

  /** Brings production and rewards up to date and returns the current time. */
  private settle(): number {
    const now = this.clock();
    this.slots.settle(this.timeline.slotAt(now), (number) => this.slotOf(number));
    this.payments.distribute({
      slots: this.slots.slots,
      due: dueEpoch(this.epochs(), now / 1000),
      epochOf: (slot) => this.epochOf(slot),
      payeeOf: ({ pillar }) => this.registry.get(pillar),
    });
    return now;
  }

  private momentumOf(height: number): Momentum {
    const number = this.gaps.slotOf(height);
    const slot = this.slots.byNumber.get(number);
    return {
      height,
      hash: momentumHash(this.chainId, height),
      previousHash: momentumHash(this.chainId, height - 1),
      timestamp: Math.floor(this.timeline.at(number) / 1000),
      producer: slot?.nodes.length ? slot.producer : this.schedule.backgroundAt(number),
    };
  }

  /** Returns a node's settings and the state of the network. An unknown name gets the default settings. */
  node(name: string) {
    return { name, settings: this.nodes.settings(name), network: this.network() };
  }

  /** Changes a node's settings. They stay until the next change. */
  patchNode(name: string, patch: NodeSettingsPatch) {
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
    return this.allPillars().find((pillar) => pillar.name === name) ?? null;
  }

  /** Returns all registered Pillars in the order of their registration. */
  allPillars() {
    const now = this.settle();
    return this.registry.all().map((pillar) => this.viewOf(pillar, now));
  }

  /** Returns all Pillars of the network by descending weight. */
  electorate(): PillarView[] {
    const others = this.schedule.background().map((background): PillarView => {
      const currentStats = { producedMomentums: 0, expectedMomentums: 0 };
      return { ...newPillar(background), weight: backgroundWeight, producers: [], currentStats };
    });
    return [...this.allPillars(), ...others].sort((a, b) => Number(BigInt(b.weight) - BigInt(a.weight)));
  }

  /** Returns a Pillar's exact figures for each paid epoch, newest first, with the field names of the real network. */
  epochsOf(name: string, page: number, size: number) {
    this.settle();
    const pillar = this.registry.get(name);
    const count = pillar === undefined ? 0 : this.payments.distributed + 1;
    const newest = count - 1 - page * size;
    // A fast chain has millions of epochs, so only those of the page are built.
    const list = Array.from({ length: Math.max(0, Math.min(size, newest + 1)) }, (_, index) => {
      const epoch = newest - index;
      const { produced, expected } = this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
      const payee = this.payments.payeeOf(name, epoch) ?? pillar;
      return {
        name,
        epoch,
        producedBlockNum: produced,
        expectedBlockNum: expected,
        weight: pillar?.weight ?? "0",
        giveBlockRewardPercentage: payee?.giveMomentumRewardPercentage ?? 0,
        giveDelegateRewardPercentage: payee?.giveDelegateRewardPercentage ?? 0,
      };
    });
    return { count, list };
  }

  /** Returns all rewards that epochs paid up to now. */
  get rewards(): Rewards {
    this.settle();
    return this.payments;
  }

  /** Returns the whole state, for a test or a person to inspect. */
  truth() {
    const now = this.settle();
    const nodes = this.nodes.names().map((name) => {
      return [name, { settings: this.nodes.settings(name), last: this.reportsOf(name).at(-1) ?? null }] as const;
    });
    return {
      network: this.network(),
      ...this.epochs(),
      epoch: epochAt(this.epochs(), now / 1000),
      distributedEpoch: this.payments.distributed,
      tickMomentums: this.schedule.tickMomentums,
      backgroundPillars: this.schedule.backgroundPillars,
      defaults: this.nodes.defaults,
      nodes: Object.fromEntries(nodes),
      pillars: this.allPillars(),
      missed: this.missed(),
      doubleProduced: this.doubleProduced(),
      // Missed momentums of these times count against nobody.
      stalls: [...this.stalls, ...this.nodes.stalls()],
    };
  }

  private viewOf(pillar: RegisteredPillar, now: number) {
    return { ...pillar, producerAddress: shownProducer(pillar, now), currentStats: this.stats(pillar.name, now) };
  }

  /** Counts a Pillar's momentums in the running epoch. */
  private stats(name: string, now: number) {
    const epoch = epochAt(this.epochs(), Math.floor(now / 1000));
    const { produced, expected } = this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
    // The real node counts the whole running tick as expected from its beginning.
    return { producedMomentums: produced, expectedMomentums: expected + this.schedule.ahead(name, now) };
  }
}
