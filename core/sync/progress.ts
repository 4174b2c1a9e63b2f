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

const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/**
 * Adds a sample to those of the last hour, which are a minute apart: the time left would jump with a node that stands
 * for a minute and then adds a thousand momentums. Begins anew while the height does not grow.
 */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const recent = samples.filter(({ at }) => sample.at - at <= hour);
  const [before, newest] = [recent.at(-2), recent.at(-1)];
  const isClose = before !== undefined && newest !== undefined && newest.at - before.at < minute;
  const kept = isClose ? recent.slice(0, -1) : recent;
  return kept.some(({ height }) => height !== sample.height) ? [...kept, sample] : [sample];
}

export const formatRate = (rate: number): string => `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} momentums/s`;

/** Returns the momentums per second between the samples, oldest first. */
export const listRates = (samples: readonly Sample[]): number[] =>
  samples.slice(1).flatMap((_, index) => computeRate(samples.slice(index, index + 2)) ?? []);

/** Number of samples for the rate that is shown, which are five minutes. */
const shownSamples = 6;

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
  const recent = opinion.good ? undefined : computeRate(samples.slice(-shownSamples));
  const rate = recent !== undefined && recent > 0 ? recent : undefined;
  const isOnItsWay = rate !== undefined && targetHeight > currentHeight;
  const left = isOnItsWay ? computeTimeLeft(currentHeight, targetHeight, computeRate(samples)) : undefined;
  return { observation, ...opinion, percent, samples, rate, left };
}

export const formatProgress = (progress: SyncProgress): string => listProgress(progress).join(", ");

/** Returns the progress in parts: percent and height, and then the rest. */
export function listProgress(progress: SyncProgress): string[] {
  const { observation, good, why, percent, rate, left } = progress;
  if (observation.kind === "none") return [`no answer from the node yet: ${why.text}`];
  const { currentHeight, targetHeight } = observation.info;
  const heights = `height ${currentHeight} of ${targetHeight > 0 ? targetHeight : "an unknown target"}`;
  const parts = [percent === undefined ? heights : `${percent} %, ${heights}`];
  if (rate !== undefined) parts.push(formatRate(rate));
  if (left !== undefined) parts.push(`about ${formatDuration(left)} left`);
  if (good) parts.push(`${why.text} (${progress.streak} of ${progress.confirmations} lookups)`);
  else {
    parts.push(`since ${formatUtcMinute(progress.startedAt)}`);
    if (why.kind !== "syncing") parts.push(why.text);
  }
  return parts;
}

/** Formats the progress for a narrow column: `43 %, 2h10m left`. */
export function formatShortProgress({ observation, good, percent, left, ...progress }: SyncProgress): string {
  if (observation.kind === "none") return "no answer";
  if (good) return `synced, ${progress.streak} of ${progress.confirmations}`;
  const { currentHeight } = observation.info;
  const share = percent === undefined ? `height ${currentHeight}` : `${Math.floor(Number(percent))} %`;
  if (left === undefined) return share;
  // Rounds, because without a terminal the engine prints each change as a line.
  const unit = left < hour ? minute : 10 * minute;
  const text = formatDuration(Math.max(1, Math.round(left / unit)) * unit);
  return `${share}, ${text.replace("min", "m").replaceAll(" ", "")} left`;
}

/** Milliseconds after which the log has a line although nothing else changed, by the time that the run waited. */
export const decideQuietMs = (waitedMs: number): number => (waitedMs < hour ? 10 * minute : hour);

/**
 * Returns a key that changes with the count of good lookups and the reason, and in the first hour with each twentieth
 * of the sync.
 */
export function formatProgressKey({ observation, streak, why }: SyncProgress, waitedMs: number): string {
  if (observation.kind === "none") return observation.reason;
  const { state, currentHeight, targetHeight } = observation.info;
  const step = waitedMs < hour && targetHeight > 0 ? Math.floor((currentHeight / targetHeight) * 20) : 0;
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
