import type { Observation } from "../rpc/node";
import { judge } from "./verdict";

/** A height seen at a time (unix milliseconds). */
export interface Sample {
  readonly at: number;
  readonly height: number;
}

/** Momentums that the network adds in a second: one every 10 s. */
const networkRate = 0.1;

/** Momentums per second between the first and the last sample; undefined where that can't be said (pure). */
export function rateOf(samples: readonly Sample[]): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.at <= first.at) return undefined;
  return ((last.height - first.height) * 1000) / (last.at - first.at);
}

/** Milliseconds until `height` meets a target that moves on meanwhile; undefined while it does not come nearer (pure). */
export function timeLeft(height: number, target: number, rate: number | undefined): number | undefined {
  if (rate === undefined || rate <= networkRate) return undefined;
  return (Math.max(0, target - height) / (rate - networkRate)) * 1000;
}

/** `3 d 04 h`, `2 h 05 min`, `7 min`, `40 s` (pure). */
export function spoken(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${two(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** Share of the target that is reached, in percent with one digit, rounded down: 100 means reached (pure). */
export function percentOf(height: number, target: number): string | undefined {
  if (target <= 0) return undefined;
  return (Math.floor((Math.min(height, target) / target) * 1000) / 10).toFixed(1);
}

/** One line about where the sync stands (pure). */
export function progressLine(observation: Observation, samples: readonly Sample[], confirmed: string): string {
  const { synced, why } = judge(observation);
  if (observation.kind === "none") return `sync: no answer from the node yet: ${why}`;
  const { currentHeight, targetHeight } = observation.info;
  const percent = percentOf(currentHeight, targetHeight);
  const heights = `height ${currentHeight} of ${targetHeight > 0 ? targetHeight : "an unknown target"}`;
  const parts = [percent === undefined ? heights : `${percent} %, ${heights}`];
  const rate = rateOf(samples);
  if (!synced && rate !== undefined && rate > 0)
    parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} momentums/s`);
  const left = timeLeft(currentHeight, targetHeight, rate);
  if (!synced && left !== undefined && targetHeight > currentHeight) parts.push(`about ${spoken(left)} left`);
  if (synced || why !== "syncing") parts.push(synced ? `${why} (${confirmed})` : why);
  return `sync: ${parts.join(", ")}`;
}

const second = 1000;
const minute = 60 * second;

/** Milliseconds until the next look: a fiftieth of what is left, between 2 s near the end and 5 minutes (pure). */
export function nextLook(left: number | undefined): number {
  if (left === undefined) return 10 * second;
  return Math.min(5 * minute, Math.max(2 * second, Math.round(left / 50)));
}
