import type { Stall } from "../stalls";
import { Bridge } from "./bridge";
import { type Candidate, electedOf } from "./elections";
import { dueEpoch, type EpochClock, epochAt } from "./epochs";
import { Gaps } from "./gaps";
import { backgroundProducer, heightOfHash, type Momentum, momentumHash } from "./momentum";
import { merge, Nodes } from "./nodes";
import { Orchestrators } from "./orchestrators";
import { newPillar, type PillarPatch } from "./pillars";
import { Production, producingNodes, type Slot } from "./production";
import { effectiveProducer, type RegisteredPillar, Registry, shownProducer } from "./registration";
import type { NodeReport } from "./reports";
import { type EpochReward, Rewards, type RewardsPatch, type UncollectedReward } from "./rewards";
import type { NodeSettingsPatch } from "./settings";
import { Signers } from "./signers";
import { type Spork, usualSporks } from "./sporks";
import { startOf, type Ticks, tickAt } from "./ticks";
import { Timeline } from "./timeline";
import type {
  ChainOptions,
  ChainTruth,
  EpochFigures,
  NetworkTruth,
  NodeView,
  PillarStats,
  PillarView,
  TruthPatch,
} from "./truth";

/** One truth for all hosts: the network's height, who is registered, who produced, and how each node shall behave. */
export class Chain {
  /** Who signed for the bridge, and when. */
  readonly signers: Signers;
  /** The bridge's contract. */
  readonly bridge = new Bridge();
  /** Changes of the network's rules. */
  sporks: readonly Spork[] = usualSporks;
  /** How each orchestrator shall behave. */
  readonly orchestrators = new Orchestrators();
  private readonly clock: () => number;
  private readonly timeline: Timeline;
  private readonly gaps = new Gaps();
  private chainId: string;
  private backgroundPillars = 3;
  private tickMomentums = 30;
  /** Of the tick that was asked for last. */
  private elected: { key: string; names: string[] } = { key: "", names: [] };
  private readonly nodes = new Nodes();
  private readonly registry = new Registry();
  private readonly rewards = new Rewards();
  private readonly slots: Production;
  private readonly stalls: Stall[] = [];
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
    const now = this.settle();
    const { momentumSeconds } = this.timeline;
    return { now, height: this.gaps.heightOf(this.timeline.slotAt(now)), momentumSeconds, chainId: this.chainId };
  }

  /** Changes the network; a new pace or height counts from now on, what was stays as it was. */
  patchTruth(patch: TruthPatch): void {
    const now = this.settle();
    const { height, momentumSeconds } = patch;
    if (height !== undefined) {
      // What a test takes back is made anew without what was missed in it.
      if (height < this.network().height) this.gaps.forget();
      const slot = height + this.gaps.count;
      this.timeline.change(now, { height: slot, momentumSeconds });
      this.slots.jump(slot);
    } else if (momentumSeconds !== undefined) this.timeline.change(now, { momentumSeconds });
    this.backgroundPillars = patch.backgroundPillars ?? this.backgroundPillars;
    this.chainId = patch.chainId ?? this.chainId;
    this.nodes.defaults = merge(this.nodes.defaults, patch.defaults ?? {});
    this.tickMomentums = patch.tickMomentums ?? this.tickMomentums;
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
    const last = Math.min(from + count - 1, this.network().height);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => this.momentumOf(first + index));
  }

  /** The last momentum whose timestamp is below a time in seconds; undefined before the first. */
  momentumBefore(seconds: number): Momentum | undefined {
    let [low, high] = [0, this.network().height];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (Math.floor(this.timeline.at(this.gaps.slotOf(middle)) / 1000) < seconds) low = middle;
      else high = middle - 1;
    }
    return this.momentum(low);
  }

  /** The momentum with this hash; undefined when there is none yet. */
  momentumByHash(hash: string): Momentum | undefined {
    return this.momentum(heightOfHash(this.chainId, hash) ?? 0);
  }

  /** Registers a Pillar or updates it, for a test: it counts at once. */
  patchPillar(name: string, patch: PillarPatch): RegisteredPillar {
    const now = this.settle();
    this.elected.key = "";
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
    const ticks = this.ticks();
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
    const background = this.background().map((name): PillarView => {
      const producerAddress = backgroundProducer(name);
      const currentStats = { producedMomentums: 0, expectedMomentums: 0 };
      return { ...newPillar(name, 0), producerAddress, weight: backgroundWeight, producers: [], currentStats };
    });
    return [...this.allPillars(), ...background]
      .sort((a, b) => Number(BigInt(b.weight) - BigInt(a.weight)))
      .map((pillar, rank) => ({ ...pillar, rank }));
  }

  /** A Pillar's exact figures of each epoch that was paid, newest first. */
  epochsOf(name: string, page: number, size: number): { count: number; list: EpochFigures[] } {
    this.settle();
    const pillar = this.registry.get(name);
    const count = pillar === undefined ? 0 : this.rewards.distributed + 1;
    const newest = count - 1 - page * size;
    // A chain in a hurry has millions of epochs.
    const list = Array.from({ length: Math.max(0, Math.min(size, newest + 1)) }, (_, index) => {
      const epoch = newest - index;
      const { produced, expected } = this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
      return {
        ...{ name, epoch, producedBlockNum: produced, expectedBlockNum: expected, weight: pillar?.weight ?? "0" },
        giveBlockRewardPercentage: pillar?.giveMomentumRewardPercentage ?? 0,
        giveDelegateRewardPercentage: pillar?.giveDelegateRewardPercentage ?? 0,
      };
    });
    return { count, list };
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
      tickMomentums: this.tickMomentums,
      backgroundPillars: this.backgroundPillars,
      defaults: this.nodes.defaults,
      nodes: Object.fromEntries(nodes),
      pillars: this.allPillars(),
      missed: this.missed(),
      doubleProduced: this.doubleProduced(),
      sharedIdentities: this.sharedIdentities(),
      stalls: [...this.stalls, ...this.nodes.stalls()],
    };
  }

  private epochs(): EpochClock {
    const { epochSeconds, rewardDelaySeconds } = this;
    return { genesis: this.timeline.genesis, epochSeconds, rewardDelaySeconds };
  }

  private epochOf({ at }: Slot): number {
    return epochAt(this.epochs(), Math.floor(at / 1000));
  }

  private ticks(): Ticks {
    const { genesis, momentumSeconds } = this.timeline;
    return { genesis: genesis * 1000, length: this.tickMomentums * momentumSeconds * 1000 };
  }

  private momentumOf(height: number): Momentum {
    const number = this.gaps.slotOf(height);
    const slot = this.slots.at(number);
    return {
      height,
      hash: momentumHash(this.chainId, height),
      previousHash: momentumHash(this.chainId, height - 1),
      timestamp: Math.floor(this.timeline.at(number) / 1000),
      producer: slot?.nodes.length ? slot.producer : this.backgroundAt(number),
    };
  }

  private viewOf(pillar: RegisteredPillar, now: number): PillarView {
    return { ...pillar, producerAddress: shownProducer(pillar, now), currentStats: this.stats(pillar.name, now) };
  }

  /** Of the running epoch. */
  private stats(name: string, now: number): PillarStats {
    const ticks = this.ticks();
    const next = this.timeline.slotAt(now) + 1;
    const end = startOf(ticks, tickAt(ticks, now) + 1);
    let ahead = 0;
    for (let slot = next; this.timeline.at(slot) < end; slot++) if (this.holderOf(slot) === name) ahead++;
    const epoch = epochAt(this.epochs(), Math.floor(now / 1000));
    const { produced, expected } = this.slots.count(name, (slot) => this.epochOf(slot) === epoch);
    // The real node counts the whole running tick as expected from its beginning.
    return { producedMomentums: produced, expectedMomentums: expected + ahead };
  }

  private background(): string[] {
    return Array.from({ length: this.backgroundPillars }, (_, index) => `background Pillar ${index}`);
  }

  /** The name of the Pillar that was elected for a slot. */
  private holderOf(number: number): string | undefined {
    const ticks = this.ticks();
    const at = this.timeline.at(number);
    const tick = tickAt(ticks, at);
    const key = [tick, ticks.length, this.tickMomentums, this.backgroundPillars].join();
    if (this.elected.key !== key) {
      const others = this.background().map((name): Candidate => ({ name, weight: BigInt(backgroundWeight) }));
      const registered = this.registry.all().map(({ name, weight }): Candidate => ({ name, weight: BigInt(weight) }));
      const seed = `${this.chainId} ${tick}`;
      this.elected = { key, names: electedOf([...others, ...registered], this.tickMomentums, seed) };
    }
    const position = Math.floor((at - startOf(ticks, tick)) / (this.timeline.momentumSeconds * 1000) + 1e-6);
    return this.elected.names[position];
  }

  /** Whoever of the others produces in a slot: they never miss one. */
  private backgroundAt(number: number): string {
    const holder = this.holderOf(number);
    const others = this.background();
    const isOther = holder !== undefined && others.includes(holder);
    return backgroundProducer((isOther ? holder : others[number % others.length]) ?? "");
  }

  private slotOf(number: number): Slot | undefined {
    const pillar = this.registry.get(this.holderOf(number) ?? "");
    if (pillar === undefined) return undefined;
    const at = this.timeline.at(number);
    const producer = effectiveProducer(pillar, at);
    const ticks = this.ticks();
    const tick = tickAt(ticks, at);
    // The schedule of a tick comes from the chain as it was at the end of the tick before the last.
    const proved = this.gaps.heightOf(this.timeline.slotBefore(startOf(ticks, tick - 1)));
    const proof = { start: startOf(ticks, tick), height: proved };
    const nodes = producingNodes(this.nodes.reports, producer, at, proof);
    if (nodes.length === 0) this.gaps.add(number);
    const height = this.gaps.heightOf(number) + (nodes.length === 0 ? 1 : 0);
    return { height, at, pillar: pillar.name, producer, nodes };
  }

  /** Brings production and rewards up to now, and gives the now. */
  private settle(): number {
    const now = this.clock();
    this.slots.settle(this.timeline.slotAt(now), (number) => this.slotOf(number));
    this.rewards.distribute({
      slots: this.slots.slots,
      due: dueEpoch(this.epochs(), now / 1000),
      epochOf: (slot) => this.epochOf(slot),
      payeeOf: ({ pillar }) => this.registry.get(pillar),
    });
    return now;
  }
}

/** Less than that of a Pillar that is registered without another one. */
const backgroundWeight = "1000000000000000";
