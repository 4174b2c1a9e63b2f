import { heightAt, momentumAt, type Segment } from "./momentum";

/** When each slot came and comes: the momentums, had none been missed. */
export class Timeline {
  private segments: Segment[];

  /** A chain that has `height` momentums `now`, as if it had always kept the real pace. Times in milliseconds. */
  constructor(height: number, now: number, momentumSeconds: number) {
    const genesis = { height: 1, at: now - (height - 1) * realPaceSeconds * 1000, momentumSeconds: realPaceSeconds };
    this.segments = height > 1 ? [genesis] : [];
    this.segments.push({ height, at: now, momentumSeconds });
  }

  /** Timestamp of momentum 1, in seconds. It stays, unless the height is set to 1 again. */
  get genesis(): number {
    return Math.floor(this.at(1) / 1000);
  }

  /** Seconds between two momentums now. */
  get momentumSeconds(): number {
    return this.segments.at(-1)?.momentumSeconds ?? realPaceSeconds;
  }

  slotAt(now: number): number {
    return heightAt(this.segments, now);
  }

  /** When a slot came, in milliseconds. */
  at(slot: number): number {
    return momentumAt(this.segments, slot);
  }

  /** The last slot before a time, in milliseconds; 0 before the first. */
  slotBefore(time: number): number {
    const slot = Math.max(0, this.slotAt(time));
    return slot > 0 && this.at(slot) >= time ? slot - 1 : slot;
  }

  /** A new pace or height from `now` on; what was stays as it was. */
  change(now: number, change: { height?: number | undefined; momentumSeconds?: number | undefined }): void {
    const current = this.slotAt(now);
    const { height = current, momentumSeconds = this.momentumSeconds } = change;
    // A new pace alone begins at the newest momentum, not between two.
    const at = change.height === undefined ? this.at(current) : now;
    const before =
      height < current
        ? this.shortened(height, now, momentumSeconds)
        : this.segments.filter((segment) => segment.height < height);
    this.segments = [...before, { height, at, momentumSeconds }];
  }

  /** What was before a height that is set below the network's: momentums up to now, on a chain as old as before. */
  private shortened(height: number, now: number, momentumSeconds: number): Segment[] {
    const [first] = this.segments;
    if (first === undefined || height <= 2) return first && height > 1 ? [first] : [];
    const second = Math.max(this.at(1), now - (height - 2) * momentumSeconds * 1000);
    return [first, { height: 2, at: second, momentumSeconds }];
  }
}

const realPaceSeconds = 10;
