import { createHash } from "node:crypto";

/**
 * Slots that stayed empty. Nobody else fills a missed slot: the chain continues after a gap in time, and its height
 * counts momentums only. Slots and heights count from 1.
 */
export class Gaps {
  /** Ascending. */
  readonly empty: number[] = [];

  /** Returns the height of the chain at the end of a slot. */
  heightOf(slot: number): number {
    return slot - this.upTo(slot);
  }

  /** Returns the slot of the momentum at a height. */
  slotOf(height: number): number {
    let slot = height;
    for (;;) {
      const next = height + this.upTo(slot);
      if (next === slot) return slot;
      slot = next;
    }
  }

  private upTo(slot: number): number {
    let [low, high] = [0, this.empty.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.empty[middle] ?? 0) <= slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface Momentum {
  height: number;
  hash: string;
  previousHash: string;
  /** Unix seconds. */
  timestamp: number;
  /** Address that produced the momentum. */
  producer: string;
}

/**
 * Part of the chain with a constant pace. The momentum at `height` comes at `at` (milliseconds), and another one every
 * `momentumSeconds`.
 */
interface Segment {
  height: number;
  at: number;
  momentumSeconds: number;
}

/** Id of a chain that nodes take for the main network, by its first momentum. */
export const mainChain = "main";
/** go-zenon, chain/genesis/embedded_genesis_test.go:11 */
const mainGenesis = "9e204601d1b7b1427fe12bc82622e610d8a6ad43c40abf020eb66e538bb8eeb0";

/** Returns the hash of a momentum. It depends on the chain's id and the height alone: the same on every host and run. */
export function momentumHash(chainId: string, height: number): string {
  if (chainId === mainChain && height === 1) return mainGenesis;
  return createHash("sha256").update(`momentum:${chainId}:${height}`).digest("hex");
}

/** Parameters of the epoch count. Times in seconds. */
export interface EpochClock {
  /** Timestamp of momentum 1, where epoch 0 begins. */
  genesis: number;
  /** Length of an epoch: 24 h on the real network. */
  epochSeconds: number;
  /** Time from an epoch's end to the distribution of its rewards: an hour on the real network. */
  rewardDelaySeconds: number;
}

/** Returns the epoch that contains a moment. */
export function epochAt({ genesis, epochSeconds }: EpochClock, seconds: number): number {
  return Math.floor((seconds - genesis) / epochSeconds);
}

/** Returns the newest epoch whose rewards are due at a moment, or -1 if none is. */
export function dueEpoch(clock: EpochClock, seconds: number): number {
  return Math.max(-1, epochAt(clock, seconds - clock.rewardDelaySeconds) - 1);
}

/** Ticks of the election: equal spans of time that start at the genesis. In milliseconds. */
export interface Ticks {
  genesis: number;
  length: number;
}

/** Returns the tick that contains a moment. */
export function tickAt({ genesis, length }: Ticks, at: number): number {
  // If the pace is no whole number, a momentum's time is a sum of floats and may fall just short.
  return Math.floor((at - genesis) / length + 1e-9);
}

export function startOf({ genesis, length }: Ticks, tick: number): number {
  return genesis + tick * length;
}

/** Time of every slot: of each momentum if none had been missed. */
export class Timeline {
  private segments: Segment[];

  /**
   * Creates a chain that has `height` momentums at `now`, as if it had always kept the real pace. Times in
   * milliseconds.
   */
  constructor(height: number, now: number) {
    const genesis = { height: 1, at: now - (height - 1) * realPaceSeconds * 1000, momentumSeconds: realPaceSeconds };
    this.segments = height > 1 ? [genesis] : [];
    this.segments.push({ height, at: now, momentumSeconds: realPaceSeconds });
  }

  /** Returns the timestamp of momentum 1, in seconds. It changes only if the height is set to 1 again. */
  get genesis(): number {
    return Math.floor(this.at(1) / 1000);
  }

  /** Returns the current seconds between two momentums. */
  get momentumSeconds(): number {
    return this.segments.at(-1)?.momentumSeconds ?? realPaceSeconds;
  }

  slotAt(now: number): number {
    const last = this.segmentAt(this.segments.length - 1);
    return last.height + Math.max(0, Math.floor((now - last.at) / (last.momentumSeconds * 1000) + 1e-9));
  }

  /** Returns a slot's time in milliseconds: never later than the next segment's beginning, even after a jump. */
  at(slot: number): number {
    const index = Math.max(
      0,
      this.segments.findLastIndex(({ height }) => height <= slot),
    );
    const segment = this.segmentAt(index);
    const natural = segment.at + (slot - segment.height) * segment.momentumSeconds * 1000;
    return Math.min(natural, this.segments[index + 1]?.at ?? Number.POSITIVE_INFINITY);
  }

  private segmentAt(index: number): Segment {
    const segment = this.segments[index];
    if (segment === undefined) throw new Error("a chain has at least one segment");
    return segment;
  }

  /** Returns the last slot before a time in milliseconds, or 0 before the first slot. */
  slotBefore(time: number): number {
    const slot = Math.max(0, this.slotAt(time));
    return slot > 0 && this.at(slot) >= time ? slot - 1 : slot;
  }

  /** Sets a new pace or height from `now` on. The past stays unchanged. */
  change(now: number, change: { height?: number | undefined; momentumSeconds?: number | undefined }): void {
    const current = this.slotAt(now);
    const { height = current, momentumSeconds = this.momentumSeconds } = change;
    // A new pace without a new height begins at the newest momentum, not between two momentums.
    const at = change.height === undefined ? this.at(current) : now;
    const before =
      height < current
        ? this.shortened(height, now, momentumSeconds)
        : this.segments.filter((segment) => segment.height < height);
    this.segments = [...before, { height, at, momentumSeconds }];
  }

  /**
   * Returns the segments that precede a height below the current one. The chain keeps its age, and its momentums end at
   * `now`.
   */
  private shortened(height: number, now: number, momentumSeconds: number): Segment[] {
    const [first] = this.segments;
    if (first === undefined || height <= 2) return first && height > 1 ? [first] : [];
    const second = Math.max(this.at(1), now - (height - 2) * momentumSeconds * 1000);
    return [first, { height: 2, at: second, momentumSeconds }];
  }
}

const realPaceSeconds = 10;
