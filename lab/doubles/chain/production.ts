import { liveMs, type NodeReport } from "./nodes.ts";

/** Momentum that a registered Pillar was elected to produce. */
export interface Slot {
  /** Height of the momentum. If it was missed: the height it would have had, which the next momentum got instead. */
  height: number;
  /** Milliseconds. */
  at: number;
  pillar: string;
  /** Address that was to produce the momentum. */
  producer: string;
  /** Names of the nodes that produced the momentum. None: it was missed. Several: they had the same producer key. */
  nodes: string[];
}

/** Every momentum that a registered Pillar was elected to produce, in the order of time. */
export class Production {
  readonly slots: Slot[] = [];
  /** The newest slot with each number for which no background Pillar was elected. */
  readonly byNumber = new Map<number, Slot>();

  /** @param settled newest slot that is already decided: nobody is elected for the slots before it */
  constructor(public settled: number) {}

  /** Adds the slots up to a number. */
  settle(number: number, slotOf: (number: number) => Slot | undefined): void {
    // If the clock jumps by days, the momentums of those days need no entries.
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

  /** Counts the momentums that a Pillar was to produce in the matching slots, and those that it produced. */
  count(pillar: string, isIn: (slot: Slot) => boolean): { produced: number; expected: number } {
    const own = this.slots.filter((slot) => slot.pillar === pillar && isIn(slot));
    return { produced: own.filter(({ nodes }) => nodes.length > 0).length, expected: own.length };
  }
}

const settledAtOnce = 100_000;

/**
 * Returns the names of the nodes that can produce with `producer` at the moment `at`. Such a node is alive, synced, and
 * has the key. It also knew enough of the chain when it made the running tick's schedule: at the start of the tick or
 * of its own process.
 * @param proof the tick's start, and the chain height that a node must have known to compute the common schedule
 */
export function producingNodes(
  reports: ReadonlyMap<string, readonly NodeReport[]>,
  producer: string,
  at: number,
  proof: { readonly start: number; readonly height: number },
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

/** Returns the height of a node's chain when it made its schedule. */
function scheduledAt(
  history: readonly NodeReport[],
  { startedAt, startHeight }: NodeReport,
  tickStart: number,
): number {
  if (startedAt >= tickStart) return startHeight;
  const then = history.findLast((report) => report.at <= tickStart && report.startedAt === startedAt);
  if (then === undefined) return startHeight;
  // A report can be a second old. A synced node has the momentums that came after it.
  return then.synced ? Number.POSITIVE_INFINITY : then.height;
}

// A report that arrives just after a momentum still counts for that momentum.
const graceMs = 50;
