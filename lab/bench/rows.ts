interface Figure {
  /** Title for people. */
  readonly title: string;
  readonly unit: "ratio" | "s";
  /** Highest value allowed; with `below`, the value must be lower. */
  readonly goal?: number;
  readonly below?: boolean;
}

/** Rows of the bench, in the table's order. */
export const figures = {
  unchanged: { title: "up that changes nothing / playbook that changes nothing", unit: "ratio", goal: 0.27 },
  unchangedUp: { title: "  the up", unit: "s" },
  unchangedPlaybook: { title: "  the playbook", unit: "s" },
  standUp: { title: "stand-up without the sync / playbook doing it", unit: "ratio", goal: 0.55 },
  standUpUp: { title: "  the up", unit: "s" },
  standUpPlaybook: { title: "  the playbook", unit: "s" },
  signerGap: { title: "bridge without this signer, 50 MB / moving it by hand", unit: "ratio", goal: 1, below: true },
  signerGapUp: { title: "  the up", unit: "s" },
  signerGapByHand: { title: "  stop, scp -r, start by hand", unit: "s" },
  statusTen: { title: "status --all of ten stacks", unit: "s", goal: 6 },
  statusOne: { title: "  of one", unit: "s" },
  firstHelp: { title: "first --help of a checkout", unit: "s", goal: 1 },
  chainCopy: { title: "copy of a chain of 1 GB, hashed on both hosts / rsync and sha256sum", unit: "ratio", goal: 1.1 },
  chainCopyOurs: { title: "  the copy of the chain", unit: "s" },
  chainCopyRsync: { title: "  rsync -a, then sha256sum on both hosts at once", unit: "s" },
  chainCopyLink: { title: "copy of a chain over a link / the link's time for its bytes", unit: "ratio", goal: 1.25 },
  chainCopyLinkOurs: { title: "  the copy", unit: "s" },
  chainCopyProcessor: { title: "  its part of four cores of the old host", unit: "ratio", goal: 0.1, below: true },
  chainCopyMissed: { title: "  missed part of the old node's slots", unit: "ratio", goal: 0 },
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

/** Formats the table, a line for each measured row. Compares with the goal before rounding. */
export function tableOf(values: Values): string {
  const lines = rowNames.flatMap((name) => {
    const value = values[name];
    const { title, unit, goal, below }: Figure = figures[name];
    if (value === undefined) return [];
    const shown = unit === "ratio" ? value.toFixed(2) : `${value.toFixed(1)} ${unit}`;
    if (goal === undefined) return [[name, title, shown, "", ""]];
    const isMet = below ? value < goal : value <= goal;
    return [[name, title, shown, `${below ? "below" : "at most"} ${goal}`, isMet ? "met" : "MISSED"]];
  });
  const cells = [["row", "what", "value", "goal", ""], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => (line[column] ?? "").length)));
  const print = (line: readonly string[]) =>
    line.map((cell, column) => (column === 2 ? cell.padStart(widths[2] ?? 0) : cell.padEnd(widths[column] ?? 0)));
  return cells.map((line) => `${print(line).join("  ").trimEnd()}\n`).join("");
}
