import type { Forecast } from "../../core/orchestrator/checks/rehearsal.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { printable } from "../../core/util/printable.ts";

export interface CheckRow {
  readonly topic: string;
  /** `later`: the check is not possible yet; a run makes it before the answer matters. */
  readonly kind: "good" | "fault" | "later";
  readonly lines: readonly string[];
  /** True if the lines say what to install. */
  readonly isInstallNeeded?: boolean;
  /** For a rehearsed move: how long the bridge will be without this orchestrator. */
  readonly gapSeconds?: Forecast["total"];
}

// The texts may be of hosts and nodes, so they are made printable.
const createRow =
  (kind: CheckRow["kind"]) =>
  (topic: string, ...texts: readonly string[]): CheckRow => ({
    topic,
    kind,
    lines: texts.flatMap((text) => text.split("\n").map(printable)),
  });
export const pass = createRow("good");
export const pending = createRow("later");
export const fail = createRow("fault");

export function decideCheckExitCode(rows: readonly CheckRow[]): number {
  return rows.some(({ kind }) => kind === "fault") ? 1 : 0;
}

const kindLabels: Readonly<Record<CheckRow["kind"], string>> = { good: "good", fault: "FAULT", later: "later" };

/** Formats rows, with problems last, because operators read the end. Long lines stay whole, to be pasted. */
export function formatChecks(stack: string, rows: readonly CheckRow[]): string[] {
  const faults = rows.filter(({ kind }) => kind === "fault");
  const sorted = [...rows.filter(({ kind }) => kind !== "fault"), ...faults];
  const width = Math.max(...rows.map(({ topic }) => topic.length));
  const lines = sorted.flatMap(({ topic, kind, lines: each }) => {
    const [first = "", ...rest] = each;
    return [
      `${kindLabels[kind].padEnd(5)}  ${topic.padEnd(width)}  ${first}`,
      ...rest.map((line) => `${" ".repeat(width + 9)}${line}`),
    ];
  });
  const end =
    faults.length === 0
      ? "Nothing stands in the way, and nothing was changed."
      : `${faults.length === 1 ? "One thing stands" : `${faults.length} things stand`} in the way; nothing was changed. Then check again: ${commandsFor(stack).check()}`;
  return [...lines, "", end];
}
