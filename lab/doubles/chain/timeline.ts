import { heightAt, momentumAt, type Segment } from "./momentum";

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
    return heightAt(this.segments, now);
  }

  /** Returns the time of a slot, in milliseconds. */
  at(slot: number): number {
    return momentumAt(this.segments, slot);
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
