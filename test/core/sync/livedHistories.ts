import { freshMomentumMs } from "../../../core/chain/reading";
import { waitForSync } from "../../../core/sync/waitForSync";
import { type History, historyOf } from "./history";
import { longestLook, longestReading, momentumTime, simulate } from "./simulatedWorld";

/**
 * Returns how many momentums a node may be behind and still count as synced: the age of a fresh momentum by clocks that
 * are right to 10 s; with references also their tolerance, from references that may be as late.
 */
const allowedBehind = ({ references, tolerance }: History) =>
  Math.ceil((freshMomentumMs + 20_000) / momentumTime) + (references.length > 1 ? tolerance : 0);

/** The longest poll interval. */
const longestPause = 5 * 60_000;

/**
 * Returns the longest time of the gate after the node is at the tip and its faults are over: the current lookup and
 * poll interval, then the streak of lookups, 2 s apart, by count and span. Twice, because a lookup at which the peers
 * have a momentum before the node starts a new streak.
 */
function bound({ confirmations, confirmSpan }: History): number {
  const look = longestLook + longestReading;
  const row = Math.max(confirmations * 4000, confirmSpan) + 4 * momentumTime;
  return 2 * (look + longestPause + row);
}

/** Plays a history. @throws the failure with the seed, the history and the last output */
async function live(history: History): Promise<void> {
  const { deps, lines, behind } = simulate(history, bound(history));
  const options = {
    ...history,
    deadline: Number.POSITIVE_INFINITY,
    stallAfter: 900_000,
    wait: "block" as const,
    isChainUnverified: true,
  };
  try {
    const record = await waitForSync(
      { ...options, startedAt: 0, address: "203.0.113.7", service: "go-node", stack: "prod" },
      deps,
    );
    if (behind() > allowedBehind(history))
      throw new Error(`said to be synced at ${record.currentHeight}, ${behind()} momentums behind`);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `${message}. Again with: SEED=${history.seed}\n${JSON.stringify(history)}\n${lines.slice(-30).join("\n")}`,
    );
  }
}

/** Seeds of histories. */
export const from = (first: number, many: number) => Array.from({ length: many }, (_, i) => first + i);

/** First seed of the long histories, of up to a week. */
export const firstLong = 1_000_000;

/** Lives all of them, and gives what went wrong. */
export async function wrongOf(seeds: readonly number[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const seed of seeds) {
    await live(historyOf(seed, seed >= firstLong)).catch((error: Error) => wrong.push(error.message));
    // A few say it all.
    if (wrong.length >= 5) break;
  }
  return wrong;
}
