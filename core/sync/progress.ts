import { networkPaceMs } from "../chain/networkPace";
import type { Observation } from "../chain/node";
import type { SyncReason } from "./judgeLook";

/** A height seen at a time (unix milliseconds). */
export interface Sample {
  readonly at: number;
  readonly height: number;
  /** Raised when the node was out of sight before this look: the time between is nobody's rate. */
  readonly stretch?: number;
}

/** Momentums that the network adds in a second. */
const networkRate = 1000 / networkPaceMs;

/** Momentums per second over the samples, gaps between stretches left out; undefined where it can't be said. */
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

/** Milliseconds until `height` meets a target that moves on meanwhile; undefined while it does not come nearer. */
export function timeLeft(height: number, target: number, rate: number | undefined): number | undefined {
  if (rate === undefined || rate <= networkRate) return undefined;
  return (Math.max(0, target - height) / (rate - networkRate)) * 1000;
}

/** Formats the share of the target that is reached, in percent with one digit, rounded down: 100 means reached. */
export function percentOf(height: number, target: number): string | undefined {
  if (target <= 0) return undefined;
  return (Math.floor((Math.min(height, target) / target) * 1000) / 10).toFixed(1);
}

/** Milliseconds that are left, by the slower and the faster half of what was seen; undefined as in timeLeft. */
export function rangeLeft(height: number, target: number, samples: readonly Sample[]): [number, number] | undefined {
  const middle = Math.floor(samples.length / 2);
  const halves = samples.length >= 8 ? [samples.slice(0, middle + 1), samples.slice(middle)] : [samples];
  const times = halves.map((half) => timeLeft(height, target, rateOf(half)));
  const known = times.filter((time) => time !== undefined);
  return known.length === times.length && known.length > 0 ? [Math.min(...known), Math.max(...known)] : undefined;
}

/** What is thought of a look. */
interface Opinion {
  readonly good: boolean;
  readonly why: SyncReason;
  /** Good looks in a row, and how many are wanted. */
  readonly streak: number;
  readonly confirmations: number;
  /** Unix milliseconds of the first look ever. */
  readonly startedAt: number;
}

/** Where the sync stands at a look. */
export interface SyncProgress extends Opinion {
  readonly observation: Observation;
  readonly percent?: string | undefined;
  /** Momentums per second, while it moves and is not good yet. */
  readonly rate?: number | undefined;
  /** Milliseconds, at least and at most, likewise. */
  readonly left?: readonly [number, number] | undefined;
}

/** What the gate has to say to whoever watches it. */
export type GateNews =
  | { readonly kind: "progress"; readonly progress: SyncProgress }
  | { readonly kind: "told"; readonly text: string }
  /** There is this to look at on the host. */
  | { readonly kind: "fact"; readonly text: string };

export function progressOf(observation: Observation, samples: readonly Sample[], opinion: Opinion): SyncProgress {
  if (observation.kind === "none") return { observation, ...opinion };
  const { good } = opinion;
  const { state, currentHeight, targetHeight } = observation.info;
  // A target that was reached and still is not the network's height: a share of it would say "done".
  const isStale = state === 2 && !good && currentHeight >= targetHeight;
  const percent = isStale ? undefined : percentOf(currentHeight, targetHeight);
  if (good) return { observation, ...opinion, percent };
  const rate = rateOf(samples);
  const left = targetHeight > currentHeight ? rangeLeft(currentHeight, targetHeight, samples) : undefined;
  return { observation, ...opinion, percent, rate: rate !== undefined && rate > 0 ? rate : undefined, left };
}

/** Returns a key that changes with each twentieth of the way, the count of good looks, and the reason. */
export function progressKey({ observation, streak, why }: SyncProgress): string {
  if (observation.kind === "none") return observation.reason;
  const { state, currentHeight, targetHeight } = observation.info;
  const step = targetHeight > 0 ? Math.floor((currentHeight / targetHeight) * 20) : 0;
  return [state, step, streak, why.kind, why.kind === "fewPeers" ? why.peers : ""].join();
}
