import { step } from "../progress";
import type { Bench } from "./bench";
import { runChild } from "./child";
import { gateSettings, startNode } from "./nodes";
import { median, type Values } from "./rows";

/** Memory of the gate's process after so many polls, in MB. */
export interface MemorySample {
  readonly poll: number;
  /** What the program still holds on to. */
  readonly live: number;
  /** What the process takes, garbage and gaps too. */
  readonly resident: number;
}

export async function measureWaiting(bench: Bench): Promise<Values> {
  const { waiting, connections } = await bench.standing();
  return { waitingRss: waiting.rss, waitingPss: waiting.pss, connections };
}

/** The median of the samples within 500 polls of one (pure). */
export function around(samples: readonly MemorySample[], poll: number, what: "live" | "resident"): number {
  return median(samples.filter((sample) => Math.abs(sample.poll - poll) <= 500).map((sample) => sample[what]));
}

export async function measurePolls(bench: Bench): Promise<Values> {
  const standing = await bench.standing();
  // So far behind, and so slow, that it never passes.
  await bench.lab.chain("PATCH", "/truth", { height: 1_000_000 });
  await bench.lab.chain("PATCH", "/nodes/far", { behind: 900_000, rate: 20 });
  const node = await startNode(standing, "far", 900);
  const samples = await step("ten thousand looks of the gate", () =>
    runChild<MemorySample[]>(bench.lab, "polls.ts", { settings: gateSettings(), node, polls: 10_500 }, 900_000),
  );
  const [early, late] = [2000, 10_000].map((poll) => ({
    live: around(samples, poll, "live"),
    resident: around(samples, poll, "resident"),
  }));
  if (!early || !late) throw new Error("nothing was measured");
  return { pollsMemory: late.live / early.live, pollsGrowth: late.resident - early.resident };
}
