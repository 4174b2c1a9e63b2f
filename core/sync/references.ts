import { freshMomentum } from "../chain/freshMomentum";
import { nodeResult, parseMomentum } from "../chain/node";
import { callReference } from "../chain/reference";
import { durationText } from "../util/timeText";

/** What an independent node says of the network's height. */
export interface ReferenceReading {
  readonly url: string;
  readonly height?: number;
  /** Unix milliseconds of its newest momentum. */
  readonly timestamp?: number;
  /** Unix milliseconds by its own clock: this machine's may be wrong. */
  readonly clock?: number | undefined;
  /** Why it gave no reading. */
  readonly error?: string;
}

/** What the references say of a height, and what is odd about each of them. */
export interface ReferenceAgreement {
  /** `unknown` where fewer than two usable ones agree with each other. */
  readonly verdict: "agrees" | "disagrees" | "unknown";
  readonly median?: number;
  readonly notes: readonly string[];
}

function median(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * Compares a height with those of independent nodes (pure). Who is down or lags is named and left out; a single one
 * only warns; of two that differ nobody knows which one lies.
 *
 * @param tolerance momentums
 * @param clock unix milliseconds, for those who do not tell their own
 */
export function compareReferences(
  height: number,
  readings: readonly ReferenceReading[],
  tolerance: number,
  clock: number,
): ReferenceAgreement {
  const notes: string[] = [];
  const usable: { url: string; height: number }[] = [];
  for (const { url, height: said, timestamp, error, clock: own = clock } of readings) {
    if (said === undefined) notes.push(`reference ${url} gives no height: ${error ?? "no answer"}`);
    else if (timestamp !== undefined && own - timestamp > freshMomentum) {
      notes.push(`reference ${url} lags: its newest momentum is ${durationText(own - timestamp)} old`);
    } else usable.push({ url, height: said });
  }
  const heights = usable.map(({ height: said }) => said).sort((a, b) => a - b);
  const [lowest] = heights;
  if (lowest === undefined) return { verdict: "unknown", notes };
  const middle = median(heights);
  const odd = usable.filter(({ height: said }) => Math.abs(said - middle) > tolerance);
  if (usable.length === 1) {
    if (Math.abs(height - middle) > tolerance)
      notes.push(`the only reference that answers, ${usable[0]?.url}, is at ${middle}`);
    return { verdict: "unknown", median: middle, notes };
  }
  if (odd.length * 2 >= usable.length) {
    notes.push(
      `the references disagree among themselves: ${usable.map(({ url, height: said }) => `${url} ${said}`).join(", ")}`,
    );
    return { verdict: "unknown", notes };
  }
  for (const { url, height: said } of odd) notes.push(`reference ${url} says ${said}, the others ${middle}`);
  if (Math.abs(height - middle) > tolerance) return { verdict: "disagrees", median: middle, notes };
  // Where most of them are out of sight, those that are left may be the liars: their word proves nothing.
  const many = (usable.length - odd.length) * 2 > readings.length;
  return { verdict: many ? "agrees" : "unknown", median: middle, notes };
}

/** Asks one reference for its newest momentum. Never throws. */
export async function readReference(url: string, timeout = 10_000): Promise<ReferenceReading> {
  try {
    const answer = await callReference(url, "ledger.getFrontierMomentum", [], timeout);
    const momentum = parseMomentum(nodeResult(answer));
    if (!momentum) return { url, error: "its answer is no momentum" };
    return { url, height: momentum.height, timestamp: momentum.timestamp, clock: answer.date };
  } catch (error) {
    return { url, error: (error as Error).message };
  }
}
