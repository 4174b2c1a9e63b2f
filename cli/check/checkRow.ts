import { commandsFor } from "../../core/util/commands";
import { command, type OutputLine, words } from "../../core/util/outputLine";
import { printableLines } from "../../core/util/printable";
import { wrap } from "../status/screenLayout";

export interface CheckRow {
  readonly topic: string;
  /** `later`: the check is not possible yet; a run makes it before the answer matters. */
  readonly kind: "good" | "fault" | "later";
  readonly lines: readonly OutputLine[];
}

type Input = string | OutputLine;
const toOutputLine = (line: Input): OutputLine => (typeof line === "string" ? words(line) : line);

// Lines may hold text from hosts and nodes, so they are made printable.
const createRow = (topic: string, kind: CheckRow["kind"], lines: readonly OutputLine[]): CheckRow => ({
  topic,
  kind,
  lines: lines.map((line) => ({ ...line, text: printableLines(line.text) })),
});
export const pass = (topic: string, ...lines: Input[]): CheckRow => createRow(topic, "good", lines.map(toOutputLine));
export const pending = (topic: string, ...lines: Input[]): CheckRow =>
  createRow(topic, "later", lines.map(toOutputLine));
export const fail = (topic: string, ...lines: string[]): CheckRow => createRow(topic, "fault", lines.map(command));

export type PlainRow = Omit<CheckRow, "lines"> & { readonly lines: readonly string[] };

export const toPlainRow = (row: CheckRow): PlainRow => ({ ...row, lines: row.lines.map(({ text }) => text) });

export function decideCheckExitCode(rows: readonly CheckRow[]): number {
  return rows.some(({ kind }) => kind === "fault") ? 1 : 0;
}

function wrapIndented(line: string, room: number): string[] {
  const [indent = ""] = /^ */.exec(line) ?? [];
  return wrap(line.slice(indent.length), Math.max(20, room - indent.length)).map((part) => indent + part);
}

const kindLabels: Readonly<Record<CheckRow["kind"], string>> = { good: "good", fault: "FAULT", later: "later" };

/** Formats rows, with problems last, because operators read the end. Wraps text to `columns`, but no command. */
export function formatChecks(stack: string, rows: readonly CheckRow[], columns?: number): string[] {
  const faults = rows.filter(({ kind }) => kind === "fault");
  const sorted = [...rows.filter(({ kind }) => kind !== "fault"), ...faults];
  const width = Math.max(...rows.map(({ topic }) => topic.length));
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(40, columns - 1 - (width + 9));
  const lines = sorted.flatMap(({ topic, kind, lines: each }) => {
    const [first = "", ...rest] = each
      .flatMap((line) => line.text.split("\n").map((text) => ({ ...line, text })))
      .flatMap((line) => (line.kind === "command" ? [line.text] : wrapIndented(line.text, room)));
    return [
      `${kindLabels[kind].padEnd(5)}  ${topic.padEnd(width)}  ${first}`,
      ...rest.map((line) => `${" ".repeat(width + 9)}${line}`),
    ];
  });
  const end =
    faults.length === 0
      ? "Nothing stands in the way, and nothing was changed."
      : `${faults.length === 1 ? "One thing stands" : `${faults.length} things stand`} in the way; nothing was changed. Then again: ${commandsFor(stack).check()}`;
  return [...lines, "", end];
}
