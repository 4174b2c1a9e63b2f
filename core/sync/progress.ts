import { networkPaceMs } from "../chain/elections.ts";
import type { Observation } from "../chain/node.ts";
import { formatDuration, formatUtcMinute } from "../util/timeText.ts";
import type { SyncReason } from "./judgeObservation.ts";

/** A height at a time (unix milliseconds). */
export interface Sample {
  readonly at: number;
  readonly height: number;
}

/** The network's momentums per second. */
const networkRate = 1000 / networkPaceMs;

/** Returns momentums per second; undefined if there are too few samples. */
function computeRate(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at <= first.at) return undefined;
  return ((last.height - first.height) * 1000) / (last.at - first.at);
}

/** Returns the milliseconds until the advancing target is reached; undefined if the distance does not shrink. */
function computeTimeLeft(height: number, target: number, rate: number | undefined): number | undefined {
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

export type SyncProgress = ReturnType<typeof computeProgress>;

/**
 * Computes the percentage (with one digit, rounded down: 100 means reached), momentums per second and milliseconds left.
 * Rate and time left are undefined while the height does not grow, and once the lookup is good.
 */
export function computeProgress(observation: Observation, samples: readonly Sample[], opinion: Opinion) {
  const unknown = { state: 0, currentHeight: 0, targetHeight: 0 };
  const { state, currentHeight, targetHeight } = observation.kind === "answer" ? observation.info : unknown;
  // A target that was reached and does not advance is not the network's height. A percentage of it would say "done".
  const isStale = state !== 1 && !opinion.good && currentHeight >= targetHeight;
  const share = Math.min(currentHeight, targetHeight) / targetHeight;
  const percent = isStale || targetHeight <= 0 ? undefined : (Math.floor(share * 1000) / 10).toFixed(1);
  const rate = opinion.good ? undefined : computeRate(samples);
  const left = targetHeight > currentHeight ? computeTimeLeft(currentHeight, targetHeight, rate) : undefined;
  return { observation, ...opinion, percent, rate: rate !== undefined && rate > 0 ? rate : undefined, left };
}

export function formatProgress(progress: SyncProgress): string {
  const { observation, good, why, percent, rate, left } = progress;
  if (observation.kind === "none") return `no answer from the node yet: ${why.text}`;
  const { currentHeight, targetHeight } = observation.info;
  const heights = `height ${currentHeight} of ${targetHeight > 0 ? targetHeight : "an unknown target"}`;
  const parts = [percent === undefined ? heights : `${percent} %, ${heights}`];
  if (rate !== undefined) parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} momentums/s`);
  if (left !== undefined) parts.push(`about ${formatDuration(left)} left`);
  if (good) parts.push(`${why.text} (${progress.streak} of ${progress.confirmations} lookups)`);
  else {
    parts.push(`since ${formatUtcMinute(progress.startedAt)}`);
    if (why.kind !== "syncing") parts.push(why.text);
  }
  return parts.join(", ");
}

/** Returns a key that changes with each twentieth of the sync, the count of good lookups, and the reason. */
export function formatProgressKey({ observation, streak, why }: SyncProgress): string {
  if (observation.kind === "none") return observation.reason;
  const { state, currentHeight, targetHeight } = observation.info;
  const step = targetHeight > 0 ? Math.floor((currentHeight / targetHeight) * 20) : 0;
  return [state, step, streak, why.kind].join();
}

/** The last new height. `at`: its first lookup, in milliseconds of a monotonic clock. */
export interface HeightStanding {
  readonly height?: number | undefined;
  readonly at: number;
  readonly isStalled: boolean;
}

/** Updates the height after a lookup. No answer counts as no new height. `stallAfter` is in milliseconds. */
export function followHeight(
  before: HeightStanding,
  height: number | undefined,
  at: number,
  stallAfter: number,
): HeightStanding {
  if (height !== undefined && height !== before.height) return { height, at, isStalled: false };
  return { ...before, isStalled: before.isStalled || at - before.at >= stallAfter };
}
