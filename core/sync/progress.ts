import type { Observation } from "../chain/node";
import { durationText, minuteText } from "../util/timeText";

/** A height seen at a time (unix milliseconds). */
export interface Sample {
  readonly at: number;
  readonly height: number;
  /** Raised when the node was out of sight before this look: the time between is nobody's rate. */
  readonly stretch?: number;
}

/** Momentums that the network adds in a second: one every 10 s. */
const networkRate = 0.1;

/** Momentums per second over the samples, gaps between stretches left out; undefined where it can't be said (pure). */
export function rateOf(samples: readonly Sample[]): number | undefined {
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

/** Milliseconds until `height` meets a target that moves on meanwhile; undefined while it does not come nearer (pure). */
export function timeLeft(height: number, target: number, rate: number | undefined): number | undefined {
  if (rate === undefined || rate <= networkRate) return undefined;
  return (Math.max(0, target - height) / (rate - networkRate)) * 1000;
}

/** Share of the target that is reached, in percent with one digit, rounded down: 100 means reached (pure). */
export function percentOf(height: number, target: number): string | undefined {
  if (target <= 0) return undefined;
  return (Math.floor((Math.min(height, target) / target) * 1000) / 10).toFixed(1);
}

/** Milliseconds that are left, by the slower and the faster half of what was seen; undefined as in timeLeft (pure). */
export function rangeLeft(height: number, target: number, samples: readonly Sample[]): [number, number] | undefined {
  const middle = Math.floor(samples.length / 2);
  const halves = samples.length >= 8 ? [samples.slice(0, middle + 1), samples.slice(middle)] : [samples];
  const times = halves.map((half) => timeLeft(height, target, rateOf(half)));
  const known = times.filter((time) => time !== undefined);
  return known.length === times.length && known.length > 0 ? [Math.min(...known), Math.max(...known)] : undefined;
}

/** What is thought of a look, for its line. */
export interface Opinion {
  readonly good: boolean;
  readonly why: string;
  /** As `2 of 3 looks`. */
  readonly confirmed: string;
  /** Unix milliseconds of the first look ever. */
  readonly startedAt: number;
}

/** One line about where the sync stands (pure). */
export function progressLine(observation: Observation, samples: readonly Sample[], opinion: Opinion): string {
  const { good, why, confirmed, startedAt } = opinion;
  if (observation.kind === "none") return `sync: no answer from the node yet: ${why}`;
  const { state, currentHeight, targetHeight } = observation.info;
  // A target that was reached and still is not the network's height: a share of it would say "done".
  const isStale = state === 2 && !good && currentHeight >= targetHeight;
  const percent = isStale ? undefined : percentOf(currentHeight, targetHeight);
  const heights = `height ${currentHeight} of ${targetHeight > 0 ? targetHeight : "an unknown target"}`;
  const parts = [percent === undefined ? heights : `${percent} %, ${heights}`];
  const rate = rateOf(samples);
  if (!good && rate !== undefined && rate > 0)
    parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} momentums/s`);
  const left = targetHeight > currentHeight ? rangeLeft(currentHeight, targetHeight, samples) : undefined;
  if (!good && left) {
    const [least, most] = left.map(durationText);
    parts.push(least === most ? `about ${least} left` : `${least} to ${most} left`);
  }
  if (!good) parts.push(`since ${minuteText(startedAt)}`);
  if (good || why !== "syncing") parts.push(good ? `${why} (${confirmed})` : why);
  return `sync: ${parts.join(", ")}`;
}
