import { liveMs, type NodeReport } from "./reports";

/** One momentum that a registered Pillar was to produce. */
export interface Slot {
  height: number;
  /** Milliseconds. */
  at: number;
  pillar: string;
  /** The address that was to produce it. */
  producer: string;
  /** Names of the nodes that produced it: none is a missed momentum, more than one a double producer. */
  nodes: string[];
}

/** Every momentum that a registered Pillar was to produce, in the order of time. */
export class Production {
  readonly slots: Slot[] = [];
  private readonly byHeight = new Map<number, Slot>();

  constructor(private settled: number) {}

  /** The newest slot of a height; undefined where a momentum was another Pillar's. */
  at(height: number): Slot | undefined {
    return this.byHeight.get(height);
  }

  /** Records the momentums up to `height`. */
  settle(height: number, slotOf: (height: number) => Slot | undefined): void {
    // A jump of the clock by days needs no record of each momentum of those days.
    for (let h = Math.max(this.settled + 1, height - settledAtOnce); h <= height; h++) {
      const slot = slotOf(h);
      if (slot === undefined) {
        this.byHeight.delete(h);
        continue;
      }
      this.slots.push(slot);
      this.byHeight.set(h, slot);
    }
    this.settled = Math.max(this.settled, height);
  }

  /** How many momentums a Pillar was to produce so far, and how many it did. */
  count(pillar: string): { produced: number; expected: number } {
    const own = this.slots.filter((slot) => slot.pillar === pillar);
    return { produced: own.filter(({ nodes }) => nodes.length > 0).length, expected: own.length };
  }

  /** The network is at another height now: nobody was to produce what lies between. */
  jump(height: number): void {
    this.settled = height;
  }
}

const settledAtOnce = 100_000;

/** Which nodes can produce with `producer` at the moment `at`: alive, synced, and holding that key. */
export function producingNodes(
  reports: ReadonlyMap<string, readonly NodeReport[]>,
  producer: string,
  at: number,
): string[] {
  const names: string[] = [];
  for (const [name, history] of reports) {
    const last = history.findLast((report) => report.at <= at + graceMs);
    if (last === undefined || last.stopped === true) continue;
    if (at - last.at <= liveMs && last.synced && last.producerAddress === producer) names.push(name);
  }
  return names.sort();
}

// A report that arrives just after the moment of its momentum still speaks for it.
const graceMs = 50;
