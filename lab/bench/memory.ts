import { step } from "../util/progress";
import type { Bench } from "./bench";
import { runChild } from "./child";
import { gateSettings, startNode } from "./nodes";
import { median, type Values } from "./rows";

/** Memory of the gate's process after a number of polls, in MB. */
export interface MemorySample {
  readonly poll: number;
  /** Live data of the program. */
  readonly live: number;
  /** Resident memory of the process, with garbage and gaps. */
  readonly resident: number;
}

export async function measureWaiting(bench: Bench): Promise<Values> {
  const { waiting, connections } = await bench.standing();
  return { waitingRss: waiting.rss, waitingPss: waiting.pss, connections };
}

/** Returns the median of the samples within some polls of the given one. */
export function around(
  samples: readonly MemorySample[],
  poll: number,
  what: "live" | "resident",
  within = 500,
): number {
  return median(samples.filter((sample) => Math.abs(sample.poll - poll) <= within).map((sample) => sample[what]));
}

export async function measurePolls(bench: Bench): Promise<Values> {
  const standing = await bench.standing();
  // The node is so far behind, and so slow, that it never passes.
  await bench.lab.chain("PATCH", "/truth", { height: 1_000_000 });
  await bench.lab.chain("PATCH", "/nodes/far", { behind: 900_000, rate: 20 });
  const node = await startNode(standing, "far", 900);
  const [first, last, within] = bench.size([2000, 10_000, 500], [40, 200, 10]);
  const polls = last + within;
  const samples = await step(`${polls} looks of the gate`, () =>
    runChild<MemorySample[]>(
      bench.lab,
      "polls.ts",
      { settings: gateSettings(), node, polls, every: within / 10 },
      900_000,
    ),
  );
  const [early, late] = [first, last].map((poll) => ({
    live: around(samples, poll, "live", within),
    resident: around(samples, poll, "resident", within),
  }));
  if (!early || !late) throw new Error("nothing was measured");
  return { pollsMemory: late.live / early.live, pollsGrowth: late.resident - early.resident };
}
