import { liveMs, type NodeReport } from "./reports";

/** One momentum that a registered Pillar was to produce. */
export interface Slot {
  /** Of the momentum; of one that was missed, the height that it would have had, and the next one got. */
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
  private readonly byNumber = new Map<number, Slot>();

  constructor(private settled: number) {}

  /** The newest slot of a number; undefined where it was another Pillar's. */
  at(number: number): Slot | undefined {
    return this.byNumber.get(number);
  }

  /** Records the slots up to a number. */
  settle(number: number, slotOf: (number: number) => Slot | undefined): void {
    // A jump of the clock by days needs no record of each momentum of those days.
    for (let n = Math.max(this.settled + 1, number - settledAtOnce); n <= number; n++) {
      const slot = slotOf(n);
      if (slot === undefined) {
        this.byNumber.delete(n);
        continue;
      }
      this.slots.push(slot);
      this.byNumber.set(n, slot);
    }
    this.settled = Math.max(this.settled, number);
  }

  /** How many momentums a Pillar was to produce in a time so far, and how many it did. */
  count(pillar: string, isIn: (slot: Slot) => boolean): { produced: number; expected: number } {
    const own = this.slots.filter((slot) => slot.pillar === pillar && isIn(slot));
    return { produced: own.filter(({ nodes }) => nodes.length > 0).length, expected: own.length };
  }

  /** The network is at another slot now: nobody was to produce what lies between. */
  jump(number: number): void {
    this.settled = number;
  }
}

const settledAtOnce = 100_000;

/** A tick of the election: when it began, and the height by which a node must have known its chain to elect as others. */
export interface TickProof {
  start: number;
  height: number;
}

/**
 * Which nodes can produce with `producer` at the moment `at`: alive, synced, holding that key, and with a schedule of the
 * running tick that they made, at its beginning or at their own, from enough of the chain.
 */
export function producingNodes(
  reports: ReadonlyMap<string, readonly NodeReport[]>,
  producer: string,
  at: number,
  proof: TickProof,
): string[] {
  const names: string[] = [];
  for (const [name, history] of reports) {
    const last = history.findLast((report) => report.at <= at + graceMs);
    if (last === undefined || last.stopped === true) continue;
    if (at - last.at > liveMs || !last.synced || last.producerAddress !== producer) continue;
    if (scheduledAt(history, last, proof.start) >= proof.height) names.push(name);
  }
  return names.sort();
}

/** The height that a node's chain had when it made its schedule. */
function scheduledAt(
  history: readonly NodeReport[],
  { startedAt, startHeight }: NodeReport,
  tickStart: number,
): number {
  if (startedAt >= tickStart) return startHeight;
  const then = history.findLast((report) => report.at <= tickStart && report.startedAt === startedAt);
  if (then === undefined) return startHeight;
  // A report is up to a second old; who is synced has what comes in between.
  return then.synced ? Number.POSITIVE_INFINITY : then.height;
}

// A report that arrives just after the moment of its momentum still speaks for it.
const graceMs = 50;
