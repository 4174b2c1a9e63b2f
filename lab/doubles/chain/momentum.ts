import { createHash } from "node:crypto";
import { addressFrom } from "../address";

/** One block of the network. */
export interface Momentum {
  height: number;
  hash: string;
  previousHash: string;
  /** Unix seconds. */
  timestamp: number;
  /** The address that produced it. */
  producer: string;
}

/** From `height` on, which came at `at` (milliseconds), one momentum comes every `momentumSeconds`. */
export interface Segment {
  height: number;
  at: number;
  momentumSeconds: number;
}

/** The network's height at `now`. */
export function heightAt(segments: readonly Segment[], now: number): number {
  const last = segments.at(-1);
  if (last === undefined) throw new Error("a chain has at least one segment");
  return last.height + Math.max(0, Math.floor((now - last.at) / (last.momentumSeconds * 1000) + 1e-9));
}

/** When a momentum came, in milliseconds. Never later than the next segment began, even after a jump of the height. */
export function momentumAt(segments: readonly Segment[], height: number): number {
  const found = segments.findLastIndex((segment) => segment.height <= height);
  const segment = segments[Math.max(0, found)];
  if (segment === undefined) throw new Error("a chain has at least one segment");
  const next = segments[Math.max(0, found) + 1];
  const natural = segment.at + (height - segment.height) * segment.momentumSeconds * 1000;
  return next === undefined ? natural : Math.min(natural, next.at);
}

/**
 * The hash of a momentum: the same for the same chain and height, on every host and in every run. Its end is the
 * height under a mask, so that a momentum is found by its hash without a table of millions.
 */
export function momentumHash(chainId: string, height: number): string {
  const digest = createHash("sha256").update(`momentum:${chainId}:${height}`).digest("hex");
  return digest.slice(0, -maskDigits) + masked(digest, height);
}

/** The height of the momentum with this hash; undefined when the chain has no such hash at any height. */
export function heightOfHash(chainId: string, hash: string): number | undefined {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const height = Number.parseInt(masked(hash, Number.parseInt(hash.slice(-maskDigits), 16)), 16);
  return Number.isSafeInteger(height) && momentumHash(chainId, height) === hash ? height : undefined;
}

/** The producer address of a Pillar that nobody registered. */
export function backgroundProducer(name: string): string {
  return addressFrom(name);
}

function masked(hash: string, value: number): string {
  const mask = BigInt(`0x${hash.slice(0, maskDigits)}`);
  return (BigInt(value) ^ mask).toString(16).padStart(maskDigits, "0");
}

// 48 bits: every height of a chain, and no more than a float holds.
const maskDigits = 12;
