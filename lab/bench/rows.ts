/** A figure of the bench, and whether it meets its goal. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Null if the figure is for information only. */
  readonly goal: number | null;
  readonly met: boolean | null;
}

interface Figure {
  /** Title for people. */
  readonly title: string;
  readonly unit: "ratio" | "s" | "MB" | "connections" | "moves";
  /** Highest value allowed; with `below`, the value must be lower. */
  readonly goal?: number;
  readonly below?: boolean;
}

/** Rows of the bench, in the table's order. */
export const figures = {
  unchanged: { title: "up that changes nothing / playbook that changes nothing", unit: "ratio", goal: 0.5 },
  unchangedUp: { title: "  the up", unit: "s" },
  unchangedPlaybook: { title: "  the playbook", unit: "s" },
  standUp: { title: "stand-up without the sync / playbook doing it", unit: "ratio", goal: 1, below: true },
  standUpUp: { title: "  the up", unit: "s" },
  standUpPlaybook: { title: "  the playbook", unit: "s" },
  storeAdds: { title: "what records in a bucket add to an up that changes nothing", unit: "s", goal: 0.3 },
  storeUp: { title: "  the up with them", unit: "s" },
  storeNone: { title: "  the up without", unit: "s" },
  decision: { title: "from the node's first state 2 to the gate's decision", unit: "s", goal: 10 },
  decisionAfterSpeedUp: { title: "  of a sync that became 40 times as fast", unit: "s", goal: 10 },
  decisionAfterPeersLost: { title: "  of a node that had lost its peers shortly before", unit: "s", goal: 10 },
  // Ten steps with at most one connection each, one of the gate, and one of the lookup.
  connections: { title: "ssh connections of a stand-up", unit: "connections", goal: 12 },
  waitingRss: { title: "waiting process tree, resident", unit: "MB" },
  waitingPss: { title: "waiting process tree, shared pages counted once", unit: "MB" },
  // A tenth far exceeds the variation of live data; it is 300 bytes a lookup.
  pollsMemory: { title: "gate's live memory at poll 10,000 / at poll 2,000", unit: "ratio", goal: 1.1 },
  pollsGrowth: { title: "  growth of its resident memory between them", unit: "MB" },
  signerGap: { title: "bridge without this signer, 50 MB / moving it by hand", unit: "ratio", goal: 1, below: true },
  signerGapUp: { title: "  the up", unit: "s" },
  signerGapByHand: { title: "  stop, scp -r, start by hand", unit: "s" },
  // Nine of ten moves are to be within the forecast.
  forecastMissed: { title: "moves whose gap was outside of what check had forecast / all", unit: "ratio", goal: 0.1 },
  forecastMoves: { title: "  moves that were counted", unit: "moves" },
  forecastLeast: { title: "  forecast, at least", unit: "s" },
  forecastMost: { title: "  forecast, at most", unit: "s" },
  bulkCopy: { title: "bulk copy of 1 GB in thousands of files / scp -r of it", unit: "ratio", goal: 1 },
  bulkCopyOurs: { title: "  the bulk copy", unit: "s" },
  bulkCopyScp: { title: "  scp -r", unit: "s" },
  statusTen: { title: "status --all of ten stacks", unit: "s", goal: 10 },
  statusThree: { title: "  of three", unit: "s" },
  // A proof of sync spans four seconds, so no status is faster.
  statusOne: { title: "  of one", unit: "s" },
  statusLinear: { title: "  of ten / ten times that of one", unit: "ratio", goal: 1 },
  chainCopySmall: {
    title: "copy of a chain of 256 MB, hashed on both sides / rsync and sha256sum",
    unit: "ratio",
    goal: 1.1,
  },
  chainCopySmallOurs: { title: "  the copy of the chain", unit: "s" },
  chainCopySmallRsync: { title: "  rsync -a, then sha256sum on both sides at once", unit: "s" },
  chainCopy: { title: "the same of 1 GB", unit: "ratio", goal: 1.1 },
  chainCopyOurs: { title: "  the copy of the chain", unit: "s" },
  chainCopyRsync: { title: "  rsync -a, then sha256sum on both sides at once", unit: "s" },
  chainCopyAnswer: { title: "  slowest answer of the old node meanwhile", unit: "s" },
  // A momentum comes every ten seconds.
  chainCopyPause: { title: "  longest time between two momentums of it", unit: "s" },
} as const satisfies Readonly<Record<string, Figure>>;

export type RowName = keyof typeof figures;
export const rowNames = Object.keys(figures) as RowName[];

/** Measured values by row. */
export type Values = Partial<Record<RowName, number>>;

/** Returns the median. @throws without a value */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  if (low === undefined || high === undefined) throw new Error("nothing was measured");
  return (low + high) / 2;
}

/** A round: both did the same, shortly after each other. In seconds. */
export interface Round {
  readonly ours: number;
  readonly peer: number;
}

/** Returns the median of the rounds' ratios, so that a slow minute weighs on both. */
export function ratioOf(rounds: readonly Round[]): number {
  return median(rounds.map(({ ours, peer }) => ours / peer));
}

/** Returns the rows in the table's order. Compares with the goal before rounding. */
export function rowsOf(values: Values): Row[] {
  return rowNames.flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    const { unit, goal, below }: Figure = figures[name];
    const met = goal === undefined ? null : below ? value < goal : value <= goal;
    return [{ name, value: Math.round(value * 1000) / 1000, unit, goal: goal ?? null, met }];
  });
}

/** Formats the table, a line for each row. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { title, below }: Figure = figures[row.name as RowName];
    const goal = row.goal === null ? "" : `${below ? "below" : "at most"} ${row.goal}`;
    return [row.name, title, shownValue(row), goal, row.met === null ? "" : row.met ? "met" : "MISSED"];
  });
  const cells = [["row", "what", "value", "goal", ""], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => (line[column] ?? "").length)));
  const print = (line: readonly string[]) =>
    line.map((cell, column) => (column === 2 ? cell.padStart(widths[2] ?? 0) : cell.padEnd(widths[column] ?? 0)));
  return cells.map((line) => `${print(line).join("  ").trimEnd()}\n`).join("");
}

function shownValue({ value, unit }: Row): string {
  if (unit === "ratio") return value.toFixed(2);
  return unit === "connections" || unit === "moves" ? String(value) : `${value.toFixed(1)} ${unit}`;
}
