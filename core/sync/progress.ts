import { networkPaceMs } from "../chain/elections";
import type { Observation } from "../chain/node";
import type { SyncReason } from "./judgeObservation";

/** A height at a time (unix milliseconds). */
export interface Sample {
  readonly at: number;
  readonly height: number;
  /** Grows after each gap in the lookups, because the time of a gap must not count in the rate. */
  readonly stretch?: number;
}

/** The network's momentums per second. */
const networkRate = 1000 / networkPaceMs;

/** Returns momentums per second without the gaps between stretches; undefined if there are too few samples. */
export function computeRate(samples: readonly Sample[]): number | undefined {
  let time = 0;
  let gained = 0;
  samples.forEach((sample, i) => {
    const before = samples[i - 1];
    if (!before || before.stretch !== sample.stretch) return;
    time += sample.at - before.at;
    gained += sample.height - before.height;
  });
  return time > 0 ? (gained * 1000) / time : undefined;
}

/** Returns the milliseconds until the advancing target is reached; undefined if the distance does not shrink. */
export function computeTimeLeft(height: number, target: number, rate: number | undefined): number | undefined {
  if (rate === undefined || rate <= networkRate) return undefined;
  return (Math.max(0, target - height) / (rate - networkRate)) * 1000;
}

/** Formats the percentage with one digit, rounded down: 100 means reached. */
export function formatPercent(height: number, target: number): string | undefined {
  if (target <= 0) return undefined;
  return (Math.floor((Math.min(height, target) / target) * 1000) / 10).toFixed(1);
}

interface Opinion {
  readonly good: boolean;
  readonly why: SyncReason;
  readonly streak: number;
  readonly confirmations: number;
  /** Unix milliseconds of the first lookup of all runs. */
  readonly startedAt: number;
}

export interface SyncProgress extends Opinion {
  readonly observation: Observation;
  readonly percent?: string | undefined;
  /** Momentums per second. Absent while the height does not grow, and once the lookup is good. */
  readonly rate?: number | undefined;
  /** Estimate of the time left in milliseconds. Absent once the lookup is good. */
  readonly left?: number | undefined;
}

/** A message of the gate to the operator. */
export type GateMessage =
  | { readonly kind: "progress"; readonly progress: SyncProgress }
  | { readonly kind: "told"; readonly text: string }
  | { readonly kind: "fact"; readonly text: string };

export function computeProgress(observation: Observation, samples: readonly Sample[], opinion: Opinion): SyncProgress {
  if (observation.kind === "none") return { observation, ...opinion };
  const { good } = opinion;
  const { state, currentHeight, targetHeight } = observation.info;
  // A target that was reached and does not advance is not the network's height. A percentage of it would say "done".
  const isStale = state === 2 && !good && currentHeight >= targetHeight;
  const percent = isStale ? undefined : formatPercent(currentHeight, targetHeight);
  if (good) return { observation, ...opinion, percent };
  const rate = computeRate(samples);
  const left = targetHeight > currentHeight ? computeTimeLeft(currentHeight, targetHeight, rate) : undefined;
  return { observation, ...opinion, percent, rate: rate !== undefined && rate > 0 ? rate : undefined, left };
}

/** Returns a key that changes with each twentieth of the sync, the count of good lookups, and the reason. */
export function formatProgressKey({ observation, streak, why }: SyncProgress): string {
  if (observation.kind === "none") return observation.reason;
  const { state, currentHeight, targetHeight } = observation.info;
  const step = targetHeight > 0 ? Math.floor((currentHeight / targetHeight) * 20) : 0;
  return [state, step, streak, why.kind, why.peers].join();
}
