import type { Gaps } from "./gaps";
import { type Momentum, momentumHash } from "./momentum";
import type { Production } from "./production";
import type { Schedule } from "./schedule";
import type { Timeline } from "./timeline";

/** The chain's momentums, computed on request. */
export class Ledger {
  constructor(
    private readonly timeline: Timeline,
    private readonly gaps: Gaps,
    private readonly slots: Production,
    private readonly schedule: Schedule,
    private readonly chainId: () => string,
  ) {}

  /** Returns up to `count` momentums from a height on, and none above `newest`. */
  momentums(from: number, count: number, newest: number): Momentum[] {
    const first = Math.max(1, from);
    const last = Math.min(from + count - 1, newest);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => this.momentumOf(first + index));
  }

  /** Returns the height of the last momentum up to `newest` with a timestamp before `seconds`, or 0 if none is. */
  heightBefore(seconds: number, newest: number): number {
    let [low, high] = [0, newest];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (Math.floor(this.timeline.at(this.gaps.slotOf(middle)) / 1000) < seconds) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private momentumOf(height: number): Momentum {
    const number = this.gaps.slotOf(height);
    const slot = this.slots.at(number);
    return {
      height,
      hash: momentumHash(this.chainId(), height),
      previousHash: momentumHash(this.chainId(), height - 1),
      timestamp: Math.floor(this.timeline.at(number) / 1000),
      producer: slot?.nodes.length ? slot.producer : this.schedule.backgroundAt(number),
    };
  }
}
