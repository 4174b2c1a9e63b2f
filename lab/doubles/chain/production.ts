import type { NodeReport } from "./reports";
import { liveMs } from "./reports";

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
