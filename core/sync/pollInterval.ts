import type { Observation } from "../chain/node";
import { rateOf, type Sample, timeLeft } from "./progress";

const second = 1000;
const shortest = 2 * second;
const longest = 300 * second;
const longestRetry = 5 * second;
const longestReconnect = 30 * second;
/** Momentums. */
const nearTheEnd = 20;

/** What the next look's time depends on. */
export interface LookBehind {
  readonly observation: Observation;
  /** It counts towards the proof, or is the first. */
  readonly isNews: boolean;
  /** Looks in a row that showed nothing. */
  readonly failures: number;
  readonly samples: readonly Sample[];
}

/** Milliseconds until the next look: 2 s while it counts, growing while nothing answers, else by what is left. */
export function pollIntervalMs({ observation, isNews, failures, samples }: LookBehind): number {
  if (observation.kind === "none") {
    // A node that restarts is back within seconds; a host that can't be reached is left in peace for longer.
    return Math.min(observation.unreachable ? longestReconnect : longestRetry, shortest * 2 ** (failures - 1));
  }
  const { currentHeight, targetHeight } = observation.info;
  if (isNews || Math.abs(targetHeight - currentHeight) <= nearTheEnd) return shortest;
  const left = targetHeight > 0 ? timeLeft(currentHeight, targetHeight, rateOf(samples)) : undefined;
  // A fiftieth of what is left, so that the estimate may be off by far.
  return left === undefined ? longestRetry : Math.min(longest, Math.max(shortest, Math.round(left / 50)));
}
