import type { Observation } from "../chain/node";
import { computeRate, computeTimeLeft, type Sample } from "./progress";

const second = 1000;
const shortest = 2 * second;
const longest = 300 * second;
const longestRetry = 5 * second;
const longestReconnect = 30 * second;
/** Distance to the target, in momentums. */
const nearTheEnd = 20;

/**
 * Returns the milliseconds until the next lookup: 2 s after a good one and while there is no rate, a growing delay after
 * `failures` lookups without an answer, else a share of the time left.
 */
export function pollIntervalMs(
  observation: Observation,
  good: boolean,
  failures: number,
  samples: readonly Sample[],
): number {
  if (observation.kind === "none") {
    // A restarting node is back within seconds. An unreachable host gets a longer delay.
    return Math.min(observation.unreachable ? longestReconnect : longestRetry, shortest * 2 ** (failures - 1));
  }
  const { currentHeight, targetHeight } = observation.info;
  const isNear = Math.abs(targetHeight - currentHeight) <= nearTheEnd;
  if (good || samples.length <= 1 || isNear) return shortest;
  const left = targetHeight > 0 ? computeTimeLeft(currentHeight, targetHeight, computeRate(samples)) : undefined;
  // A fiftieth of the time left, so that a poor estimate does little harm.
  return left === undefined ? longestRetry : Math.min(longest, Math.max(shortest, Math.round(left / 50)));
}
