/** Time in which a process should have worked and was not run: the machine was busy or asleep. Unix milliseconds. */
export interface Stall {
  from: number;
  to: number;
}

/** Shorter stalls occur on every machine. */
const least = 500;

/** Finds a process's stalls: a steady beat comes late. */
export class StallWatch {
  private last: number;

  constructor(private readonly now: () => number = Date.now) {
    this.last = now();
  }

  /** @returns the stall that ends with this beat */
  beat(): Stall | undefined {
    const [from, to] = [this.last, this.now()];
    this.last = to;
    return to - from > least ? { from, to } : undefined;
  }
}
