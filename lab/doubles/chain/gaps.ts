/**
 * Slots that stayed empty. Nobody else fills a missed slot: the chain continues after a gap in time, and its height
 * counts momentums only. Slots and heights count from 1.
 */
export class Gaps {
  /** Ascending. */
  private empty: number[] = [];

  get count(): number {
    return this.empty.length;
  }

  /** Adds an empty slot. It must be later than all slots added before. */
  add(slot: number): void {
    this.empty.push(slot);
  }

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

  forget(): void {
    this.empty = [];
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
