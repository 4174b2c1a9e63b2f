import { createHash } from "node:crypto";
import { addressFrom } from "../address";

export interface Momentum {
  height: number;
  hash: string;
  previousHash: string;
  /** Unix seconds. */
  timestamp: number;
  /** Address that produced the momentum. */
  producer: string;
}

/**
 * Part of the chain with a constant pace. The momentum at `height` comes at `at` (milliseconds), and another one every
 * `momentumSeconds`.
 */
export interface Segment {
  height: number;
  at: number;
  momentumSeconds: number;
}

/** Returns the network's height at `now`. */
export function heightAt(segments: readonly Segment[], now: number): number {
  const last = segments.at(-1);
  if (last === undefined) throw new Error("a chain has at least one segment");
  return last.height + Math.max(0, Math.floor((now - last.at) / (last.momentumSeconds * 1000) + 1e-9));
}

/**
 * Returns a momentum's time in milliseconds. Never later than the beginning of the next segment, even if the height
 * jumped.
 */
export function momentumAt(segments: readonly Segment[], height: number): number {
  const found = segments.findLastIndex((segment) => segment.height <= height);
  const segment = segments[Math.max(0, found)];
  if (segment === undefined) throw new Error("a chain has at least one segment");
  const next = segments[Math.max(0, found) + 1];
  const natural = segment.at + (height - segment.height) * segment.momentumSeconds * 1000;
  return next === undefined ? natural : Math.min(natural, next.at);
}

/** Returns the hash of a momentum. It depends on the chain's id and the height alone: the same on every host and run. */
export function momentumHash(chainId: string, height: number): string {
  return createHash("sha256").update(`momentum:${chainId}:${height}`).digest("hex");
}

/** Returns the producer address of a Pillar that no test registered. */
export function backgroundProducer(name: string): string {
  return addressFrom(name);
}
