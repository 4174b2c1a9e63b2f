import { freshMomentumMs } from "../../../core/chain/reading";
import { contradictionLimit } from "../../../core/sync/decideSynced";
import { waitForSync } from "../../../core/sync/waitForSync";
import { type History, historyOf } from "./history";
import { longestLook, longestReading, momentumTime, simulate } from "./simulatedWorld";

/**
 * Momentums that a node may be behind and still be called synced: as old as a fresh momentum may be, by clocks that
 * are right to 10 s; where references stand for it, their tolerance, from references that may be as late.
 */
const allowedBehind = ({ references, tolerance }: History) =>
  Math.ceil((freshMomentumMs + 20_000) / momentumTime) + (references.length > 1 ? tolerance : 0);

/** The longest pause between two looks (nextLook). */
const longestPause = 5 * 60_000;

/**
 * Returns how long after the node is at the tip, and its faults are over, the gate may take: the look and the pause that are
 * under way; where liars outnumber the references that are left, patience with them; then the row of looks, 2 s apart
 * and whatever each takes, of the count and the span; some new momentums, for a target that moves on. All of it twice: a
 * look in the moment in which the peers have a momentum before the node has it begins a new row.
 */
function bound({ confirmations, confirmSpan, references }: History): number {
  const look = longestLook + longestReading;
  const row = Math.max(confirmations * 4000, confirmSpan) + 4 * momentumTime;
  const patient = references.some(({ downForEver }) => downForEver) ? contradictionLimit : 0;
  return 2 * (look + longestPause + row) + patient;
}

/** Lives one of them. @throws what went wrong, with the seed, the history and what was said last */
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
