import type { Bounds, Production } from "../../core/chain/production.ts";
import type { OrchestratorGap } from "./findFigures.ts";

/** The own slots by the chain, or the reason why nothing is known. */
export type ProductionReading = Production | Readonly<{ unknown: string }>;

export const formatBounds = ({ least, most }: Bounds) => (least === most ? `${least}` : `${least} to ${most}`);

/** Returns the seconds without an orchestrator; undefined if one of the times is not known. */
export function sumGaps(gaps: readonly OrchestratorGap[]): number | undefined {
  const sum = gaps.reduce((total, gap) => total + ("seconds" in gap ? gap.seconds : Number.NaN), 0);
  return Number.isNaN(sum) ? undefined : Math.round(sum * 10) / 10;
}

function formatGaps(gaps: readonly OrchestratorGap[]): string {
  if (gaps.length === 0) return "no orchestrator was moved";
  const sum = sumGaps(gaps);
  if (sum !== undefined) return `${sum} s without an orchestrator`;
  return `unknown for how long without an orchestrator: ${gaps.flatMap((gap) => ("unknown" in gap ? gap.unknown : []))[0]}`;
}

/** Formats what was missed and when, and what is not known. */
export function formatVerdict(production: ProductionReading, gaps: readonly OrchestratorGap[]): string[] {
  const gap = formatGaps(gaps);
  if ("unknown" in production) return [`Own slots missed: unknown: ${production.unknown}.`, `Also: ${gap}.`];
  const { total, ticks, pillars, paidEpochs, epochs } = production;
  const { missedSlots: missed, expectedSlots: expected } = total;
  const format = (lost: number, of: number, where: string) =>
    `${lost === 0 ? "Nothing was missed" : "MISSED"}: ${lost} of ${of} own slots${where}, ${gap}.`;
  const bad = ticks.filter(({ missedSlots }) => missedSlots.least > 0).map(({ startAt }) => startAt.slice(11, 19));
  const when = bad.length === 0 ? "" : ` (ticks from ${bad.slice(0, 5).join(", ")}${bad.length > 5 ? " …" : ""} UTC)`;
  if (missed.least === missed.most) return [format(missed.most, expected.most, when)];
  const range =
    epochs.first === epochs.last ? `epoch ${epochs.first} is` : `epochs ${epochs.first} to ${epochs.last} are`;
  if (paidEpochs === undefined)
    return [
      `Own slots missed: ${formatBounds(missed)} of ${formatBounds(expected)}${when}. Of ${pillars} Pillars no node says whose slots stay empty.`,
      `To know it, run this again once ${range} paid. Also: ${gap}.`,
    ];
  const sum = (key: "expected" | "produced") => paidEpochs.reduce((all, each) => all + each[key], 0);
  return [format(sum("expected") - sum("produced"), sum("expected"), `, as ${range} paid`)];
}
