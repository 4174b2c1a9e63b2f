import type { Forecast } from "../../core/orchestrator/forecast";
import { commandsFor, tool } from "../../core/util/commands";
import { printableLines } from "../../core/util/printable";
import { wrap } from "../screen";

/** What one question of a check came to. */
export interface CheckRow {
  readonly topic: string;
  /** `later`: it can't be asked yet, and is asked again before it counts. */
  readonly kind: "good" | "fault" | "later";
  readonly lines: readonly string[];
  /** Of a rehearsed move of the signer: how long the bridge will be without it. */
  readonly gapSeconds?: Forecast["total"];
}

// Words of hosts and nodes are in them.
const rowOf = (topic: string, kind: CheckRow["kind"], lines: readonly string[]): CheckRow => ({
  ...{ topic, kind },
  lines: lines.map(printableLines),
});
export const good = (topic: string, ...lines: string[]): CheckRow => rowOf(topic, "good", lines);
export const amiss = (topic: string, ...lines: string[]): CheckRow => rowOf(topic, "fault", lines);
export const later = (topic: string, ...lines: string[]): CheckRow => rowOf(topic, "later", lines);

/** The exit code for it (pure). */
export function checkExitCode(rows: readonly CheckRow[]): number {
  return rows.some(({ kind }) => kind === "fault") ? 1 : 0;
}

/** Whether a line has what an operator types. */
const isCommand = (line: string) => line.includes(tool) || /\b(pulumi|ssh\S*|systemctl) /.test(line);

/** A line that stands further to the right goes on below its own beginning. */
function wrapped(line: string, room: number): string[] {
  const [indent = ""] = /^ */.exec(line) ?? [];
  return wrap(line.slice(indent.length), Math.max(20, room - indent.length)).map((part) => indent + part);
}

const words: Readonly<Record<CheckRow["kind"], string>> = { good: "good", fault: "FAULT", later: "later" };

/**
 * The rows in plain lines, what stands in the way last, since that is what is read (pure).
 *
 * @param columns of a terminal: prose is wrapped in its column there; what may be pasted stays one line
 */
export function checkLines(stack: string, rows: readonly CheckRow[], columns?: number): string[] {
  const faults = rows.filter(({ kind }) => kind === "fault");
  const sorted = [...rows.filter(({ kind }) => kind !== "fault"), ...faults];
  const width = Math.max(...rows.map(({ topic }) => topic.length));
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(40, columns - 1 - (width + 9));
  const lines = sorted.flatMap(({ topic, kind, lines: each }) => {
    const [first = "", ...rest] = each
      .flatMap((line) => line.split("\n"))
      .flatMap((line) => (kind === "fault" || isCommand(line) ? [line] : wrapped(line, room)));
    return [
      `${words[kind].padEnd(5)}  ${topic.padEnd(width)}  ${first}`,
      ...rest.map((line) => `${" ".repeat(width + 9)}${line}`),
    ];
  });
  const end =
    faults.length === 0
      ? "Nothing stands in the way, and nothing was changed."
      : `${faults.length === 1 ? "One thing stands" : `${faults.length} things stand`} in the way; nothing was changed. Then again: ${commandsFor(stack).check()}`;
  return [...lines, "", end];
}
