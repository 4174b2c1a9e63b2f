import { z } from "zod";

/**
 * A running orchestrator's message about itself. It is sent at the start, at the stop, and four times a second in
 * between.
 */
export const beatSchema = z.strictObject({
  /** `start`: the process may sign from now on. `stop`: it has shut down cleanly and signs no more. */
  kind: z.enum(["start", "beat", "stop"]),
  /** Peer identity, which belongs to the producer key. */
  identity: z.string().min(1),
  /** Id that each process makes anew. */
  process: z.string().min(1),
  /** True if the orchestrator has a key share. */
  hasShare: z.boolean(),
});

export type Beat = z.infer<typeof beatSchema>;

/** Lifetime of one orchestrator process, from the moment at which it may sign. Times in milliseconds. */
export interface SignerInterval {
  host: string;
  process: string;
  hasShare: boolean;
  from: number;
  /** Time of the stop, or of the last message. */
  until: number;
  /** False if the process runs, was killed, or lost power. */
  stopped: boolean;
}

/** Two processes that were alive with one identity at the same time. It must never happen. */
export interface DoubleSigner {
  identity: string;
  /** Time of the first detection. */
  at: number;
  hosts: [string, string];
  processes: [string, string];
}

/** All that the chain knows about orchestrators since it began. */
export type SignersTruth = ReturnType<Signers["truth"]>;

/**
 * Keeps the signing intervals of each identity. Remembers forever when two processes with one identity were alive at
 * once.
 */
export class Signers {
  private readonly intervals = new Map<string, SignerInterval[]>();
  private readonly doubles: DoubleSigner[] = [];

  constructor(private readonly clock: () => number) {}

  hear(host: string, beat: Beat): void {
    const { identity, process, hasShare } = beat;
    const now = this.clock();
    const all = this.intervals.get(identity) ?? [];
    this.intervals.set(identity, all);
    const known = all.find((interval) => interval.process === process);
    // A beat can be delayed and arrive after the stop message.
    if (known?.stopped) return;
    const interval = known ?? { host, process, hasShare, from: now, until: now, stopped: false };
    if (known === undefined) all.push(interval);
    // A process that sends a message after a long silence was alive all that time.
    Object.assign(interval, { until: now, hasShare, stopped: beat.kind === "stop" });
    for (const other of all) if (other !== interval) this.compare(identity, other, interval);
  }

  truth() {
    const now = this.clock();
    const identities = [...this.intervals].map(([identity, intervals]) => {
      return [identity, { intervals, gaps: gapsOf(intervals) }] as const;
    });
    return { now, identities: Object.fromEntries(identities), doubles: this.doubles };
  }

  private compare(identity: string, other: SignerInterval, interval: SignerInterval): void {
    // Equal times mean that one process ended in the millisecond in which the next began.
    if (other.until <= interval.from || interval.until < other.from) return;
    const processes: [string, string] = [other.process, interval.process];
    const isKnown = this.doubles.some(({ processes: known }) => processes.every((process) => known.includes(process)));
    if (isKnown) return;
    this.doubles.push({ identity, at: this.clock(), hosts: [other.host, interval.host], processes });
  }
}

/** Returns the times without a signer between consecutive processes. A time is negative if they overlapped. */
function gapsOf(intervals: readonly SignerInterval[]) {
  const ordered = intervals.toSorted((a, b) => a.from - b.from);
  return ordered.slice(1).map((next, index) => {
    const before = ordered[index] as SignerInterval;
    return { from: before.host, to: next.host, ms: next.from - before.until };
  });
}
