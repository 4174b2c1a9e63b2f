import { dueEpoch, type EpochClock, epochAt } from "./epochs";
import { Gaps } from "./gaps";
import { Ledger } from "./ledger";
import type { Momentum } from "./momentum";
import { merge, Nodes } from "./nodes";
import { Production, producingNodes, type Slot } from "./production";
import { effectiveProducer, Registry } from "./registration";
import { Rewards } from "./rewards";
import { Schedule } from "./schedule";
import { startOf, tickAt } from "./ticks";
import { Timeline } from "./timeline";
import type { ChainOptions, NetworkTruth, TruthPatch } from "./truth";

/** The network without any intervention: its time, momentums, elections, and rewards. */
export class Network {
  protected readonly clock: () => number;
  protected readonly timeline: Timeline;
  protected readonly gaps = new Gaps();
  protected chainId: string;
  protected readonly nodes = new Nodes();
  protected readonly registry = new Registry();
  protected readonly rewards = new Rewards();
  protected readonly slots: Production;
  protected readonly schedule: Schedule;
  protected readonly ledger: Ledger;
  protected epochSeconds = 86_400;
  protected rewardDelaySeconds = 3600;

  constructor(options: ChainOptions = {}) {
    this.clock = options.clock ?? Date.now;
    this.chainId = options.chainId ?? "lab";
    const height = options.height ?? 14_900_000;
    const now = this.clock();
    this.timeline = new Timeline(height, now);
    this.slots = new Production(height);
    this.schedule = new Schedule(this.timeline, this.registry, () => this.chainId);
    this.ledger = new Ledger(this.timeline, this.gaps, this.slots, this.schedule, () => this.chainId);
    this.rewards.recount(dueEpoch(this.epochs(), now / 1000));
  }

  /** Returns the current state of the network. */
  network(): NetworkTruth {
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
      if (height < this.network().height) this.gaps.forget();
      const slot = height + this.gaps.count;
      this.timeline.change(now, { height: slot, momentumSeconds });
      this.slots.jump(slot);
    } else if (momentumSeconds !== undefined) this.timeline.change(now, { momentumSeconds });
    this.schedule.backgroundPillars = patch.backgroundPillars ?? this.schedule.backgroundPillars;
    this.chainId = patch.chainId ?? this.chainId;
    this.nodes.defaults = merge(this.nodes.defaults, patch.defaults ?? {});
    this.schedule.tickMomentums = patch.tickMomentums ?? this.schedule.tickMomentums;
    this.rewardDelaySeconds = patch.rewardDelaySeconds ?? this.rewardDelaySeconds;
    const { epochSeconds = this.epochSeconds } = patch;
    if (epochSeconds !== this.epochSeconds) {
      this.epochSeconds = epochSeconds;
      this.rewards.recount(dueEpoch(this.epochs(), now / 1000));
    }
  }

  /** Returns the momentum at a height, or undefined if it does not exist yet. */
  momentum(height: number): Momentum | undefined {
    return this.momentums(height, 1)[0];
  }

  /** Returns up to `count` existing momentums from a height on. */
  momentums(from: number, count: number): Momentum[] {
    return this.ledger.momentums(from, count, this.network().height);
  }

  /** Returns the last momentum with a timestamp before `seconds`, or undefined if none is. */
  momentumBefore(seconds: number): Momentum | undefined {
    return this.momentum(this.ledger.heightBefore(seconds, this.network().height));
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

  protected epochs(): EpochClock {
    const { epochSeconds, rewardDelaySeconds } = this;
    return { genesis: this.timeline.genesis, epochSeconds, rewardDelaySeconds };
  }

  protected epochOf({ at }: Slot): number {
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
    if (nodes.length === 0) this.gaps.add(number);
    const height = this.gaps.heightOf(number) + (nodes.length === 0 ? 1 : 0);
    return { height, at, pillar: pillar.name, producer, nodes };
  }

  /** Brings production and rewards up to date and returns the current time. */
  protected settle(): number {
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
