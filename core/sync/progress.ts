import { networkPaceMs } from "../chain/elections";
import type { Observation } from "../chain/node";
import type { SyncReason } from "./judgeObservation";

/** A height at a time (unix milliseconds). */
export interface Sample {
  readonly at: number;
  readonly height: number;
}

/** The network's momentums per second. */
const networkRate = 1000 / networkPaceMs;

/** Returns momentums per second; undefined if there are too few samples. */
export function computeRate(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at <= first.at) return undefined;
  return ((last.height - first.height) * 1000) / (last.at - first.at);
}

/** Returns the milliseconds until the advancing target is reached; undefined if the distance does not shrink. */
export function computeTimeLeft(height: number, target: number, rate: number | undefined): number | undefined {
  if (rate === undefined || rate <= networkRate) return undefined;
  return (Math.max(0, target - height) / (rate - networkRate)) * 1000;
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
  /** With one digit, rounded down: 100 means reached. */
  readonly percent?: string | undefined;
  /** Momentums per second. Absent while the height does not grow, and once the lookup is good. */
  readonly rate?: number | undefined;
  /** Estimate of the time left in milliseconds. Absent once the lookup is good. */
  readonly left?: number | undefined;
}

export function computeProgress(observation: Observation, samples: readonly Sample[], opinion: Opinion): SyncProgress {
  if (observation.kind === "none") return { observation, ...opinion };
  const { good } = opinion;
  const { state, currentHeight, targetHeight } = observation.info;
  // A target that was reached and does not advance is not the network's height. A percentage of it would say "done".
  const isStale = state === 2 && !good && currentHeight >= targetHeight;
  const share = Math.min(currentHeight, targetHeight) / targetHeight;
  const percent = isStale || targetHeight <= 0 ? undefined : (Math.floor(share * 1000) / 10).toFixed(1);
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
  return [state, step, streak, why.kind].join();
}
