/**
 * Slots that stayed empty. Nobody else fills them: the chain goes on with a gap in time, and its height counts only
 * momentums. Slots and heights begin with 1.
 */
export class Gaps {
  /** Ascending. */
  private empty: number[] = [];

  get count(): number {
    return this.empty.length;
  }

  /** A slot that is later than all before. */
  add(slot: number): void {
    this.empty.push(slot);
  }

  /** The height of the chain at the end of a slot. */
  heightOf(slot: number): number {
    return slot - this.upTo(slot);
  }

  /** The slot of a momentum. */
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
