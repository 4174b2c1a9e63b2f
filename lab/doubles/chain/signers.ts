import { z } from "zod";

/** What a running orchestrator tells the chain double about itself, four times a second and at both ends. */
export const beatSchema = z.strictObject({
  /** `start`: it may sign from here; `stop`: it has ended in order and signs no more. */
  kind: z.enum(["start", "beat", "stop"]),
  /** Its peer identity, which belongs to the producer key. */
  identity: z.string().min(1),
  /** Made anew by each process. */
  process: z.string().min(1),
  /** Whether it has a key share. */
  hasShare: z.boolean(),
});

/** A message of an orchestrator. */
export type Beat = z.infer<typeof beatSchema>;

/** The life of one orchestrator process, from the moment at which it may sign. Times in milliseconds. */
export interface SignerInterval {
  host: string;
  process: string;
  hasShare: boolean;
  from: number;
  /** Its stop, or the last that was heard of it. */
  until: number;
  /** False of one that runs, was killed, or lost its power. */
  stopped: boolean;
}

/** Two processes that were alive with one identity at the same time: it must never be. */
export interface DoubleSigner {
  identity: string;
  /** When it was noticed first. */
  at: number;
  hosts: [string, string];
  processes: [string, string];
}

/** Time without this signer, between two processes that follow each other. Negative where they ran at once. */
export interface SignerGap {
  from: string;
  to: string;
  ms: number;
}

/** What the chain knows of all signers since it began. */
export interface SignersTruth {
  now: number;
  identities: Record<string, { intervals: SignerInterval[]; gaps: SignerGap[] }>;
  doubles: DoubleSigner[];
  /** Those that were heard of within the last second. */
  alive: { identity: string; host: string; process: string; hasShare: boolean }[];
}

/** Keeps who signed when, and for ever any moment at which two processes with one identity were alive. */
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
    // A beat on its way at the stop arrives after it.
    if (known?.stopped) return;
    const interval = known ?? { host, process, hasShare, from: now, until: now, stopped: false };
    if (known === undefined) all.push(interval);
    // A process that was silent for long and is heard again was alive all the time.
    Object.assign(interval, { until: now, hasShare, stopped: beat.kind === "stop" });
    for (const other of all) if (other !== interval) this.compare(identity, other, interval);
  }

  truth(): SignersTruth {
    const now = this.clock();
    const identities = [...this.intervals].map(([identity, intervals]) => {
      return [identity, { intervals, gaps: gapsOf(intervals) }] as const;
    });
    const alive = [...this.intervals].flatMap(([identity, intervals]) =>
      intervals
        .filter(({ stopped, until }) => !stopped && now - until < aliveMs)
        .map(({ host, process, hasShare }) => ({ identity, host, process, hasShare })),
    );
    return { now, identities: Object.fromEntries(identities), doubles: this.doubles, alive };
  }

  private compare(identity: string, other: SignerInterval, interval: SignerInterval): void {
    // At equality the one ended in the millisecond in which the other began.
    if (other.until <= interval.from || interval.until < other.from) return;
    const processes: [string, string] = [other.process, interval.process];
    const isKnown = this.doubles.some(({ processes: known }) => processes.every((process) => known.includes(process)));
    if (isKnown) return;
    this.doubles.push({ identity, at: this.clock(), hosts: [other.host, interval.host], processes });
  }
}

function gapsOf(intervals: readonly SignerInterval[]): SignerGap[] {
  const ordered = intervals.toSorted((a, b) => a.from - b.from);
  return ordered.slice(1).map((next, index) => {
    const before = ordered[index] as SignerInterval;
    return { from: before.host, to: next.host, ms: next.from - before.until };
  });
}

const aliveMs = 1000;
