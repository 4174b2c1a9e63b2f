import { setTimeout as sleep } from "node:timers/promises";
import type { NodeReport } from "../doubles/chain/reports";
import type { NodeSettingsPatch } from "../doubles/chain/settings";
import { step } from "../util/progress";
import type { Bench } from "./bench";
import { runChild } from "./child";
import type { Passed } from "./gates";
import { gateSettings, startNode } from "./nodes";
import { median, type Values } from "./rows";

/** Course of a sync: the node's settings from the start, and later changes by seconds. */
interface Course {
  readonly row: "decision" | "decisionAfterSpeedUp" | "decisionAfterPeersLost";
  readonly settings: { readonly behind: number; readonly rate: number };
  readonly changes: ReadonlyArray<readonly [at: number, settings: NodeSettingsPatch]>;
}

/** Returns the courses of syncs. @param part fraction of their full duration */
const coursesOf = (part: number): readonly Course[] => [
  // Takes two minutes.
  { row: "decision", settings: { behind: 12_000 * part, rate: 100 }, changes: [] },
  // Starts with 40 minutes to go, which makes lookups rare, but takes 90 s.
  { row: "decisionAfterSpeedUp", settings: { behind: 12_000 * part, rate: 5 }, changes: [[30 * part, { rate: 200 }]] },
  // Loses its peers 10 s before the end, for 8 s.
  {
    row: "decisionAfterPeersLost",
    settings: { behind: 10_000 * part, rate: 100 },
    changes: [
      [90 * part, { peers: 0 }],
      [98 * part, { peers: 8 }],
    ],
  },
];

/** Returns when the node became synced: its last report of another state before that, so up to a second early. */
export function syncedSince(reports: readonly Pick<NodeReport, "at" | "state">[], decidedAt: number): number {
  const before = reports.filter(({ at, state }) => at <= decidedAt && state !== 2).at(-1);
  if (!before || !reports.some(({ at, state }) => state === 2 && at > before.at && at <= decidedAt + 1000))
    throw new Error("the gate decided that a node is synced which never said so");
  return before.at;
}

/** Measures all rounds of all courses at once, each with its own node: a sync is mostly waiting. */
export async function measureDecision(bench: Bench): Promise<Values> {
  const standing = await bench.standing();
  const { lab } = bench;
  await lab.chain("PATCH", "/truth", { height: 1_000_000 });
  const courses = coursesOf(bench.size(1, 0.1));
  const runs = courses.flatMap((course) =>
    // Each round ends at another moment between two lookups.
    Array.from({ length: bench.rounds }, (_, i) => ({ course, i, name: `${course.row.toLowerCase()}${i}` })),
  );
  return step(`${runs.length} syncs, to the gate's decision`, async () => {
    const nodes = [];
    for (const [n, { course, name, i }] of runs.entries()) {
      const { behind, rate } = course.settings;
      await lab.chain("PATCH", `/nodes/${name}`, { behind: behind + i * Math.round(rate * 0.7), rate });
      nodes.push(await startNode(standing, name, n));
    }
    const passing = runChild<Passed[]>(lab, "gates.ts", { settings: gateSettings(), nodes, within: 600_000 }, 900_000);
    const changed = runs.flatMap(({ course, name }) =>
      course.changes.map(async ([at, settings]) => {
        await sleep(at * 1000);
        await lab.chain("PATCH", `/nodes/${name}`, settings);
      }),
    );
    const passed = (await Promise.all([passing, ...changed]))[0];
    const times = new Map<string, number>();
    for (const { name, syncedAt } of passed) {
      const reports = await lab.chain<NodeReport[]>("GET", `/nodes/${name}/reports`);
      times.set(name, (syncedAt - syncedSince(reports, syncedAt)) / 1000);
    }
    const values: Values = {};
    for (const { row } of courses) {
      const own = runs.filter(({ course }) => course.row === row).map(({ name }) => times.get(name) ?? Number.NaN);
      process.stderr.write(`  ${row}: ${own.map((time) => time.toFixed(1)).join(", ")} s\n`);
      values[row] = median(own);
    }
    return values;
  });
}
