import wrapAnsi from "wrap-ansi";
import type { Row, StackView } from "./stackView";
import { formatStatus } from "./statusRows";

const labelWidth = 14;

/** Wraps a text at blanks, and within a word only if the word is longer than a line. */
export function wrap(text: string, width: number): string[] {
  return wrapAnsi(text, width, { hard: true }).split("\n");
}

/** Cuts a text that is wider than `width` columns of a terminal, and marks the cut. */
export function truncate(text: string, width: number): string {
  const cut = (columns: number) => wrapAnsi(text, columns, { hard: true, wordWrap: false, trim: false }).split("\n");
  return cut(width).length === 1 ? text : `${cut(width - 1)[0]}…`;
}

export function wrapRow([label, text, kind]: Row, width: number): string[] {
  if (kind === "command") return [`${label.padEnd(labelWidth)}${text}`.trimEnd()];
  const [start = "", indent = "", bullet = ""] = /^( *)(- )?/.exec(text) ?? [];
  const room = Math.max(20, width - labelWidth - start.length);
  return wrap(text.slice(start.length), room).map((line, i) =>
    `${(i === 0 ? label : "").padEnd(labelWidth)}${indent}${i === 0 ? bullet : " ".repeat(bullet.length)}${line}`.trimEnd(),
  );
}

/** Keeps as many lines as a screen has room for, and counts the others. Leaves the last line to the cursor. */
export function cropLines(
  lines: readonly string[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string[] {
  const room = Math.max(1, rows - 1);
  const left = lines.length - room + 1;
  const more = `… ${left} more lines: make the terminal higher to see them`;
  const kept = lines.length <= room ? lines : [...lines.slice(0, room - 1), more];
  return kept.map((line) => truncate(line, columns - 1));
}

/** Formats a status for a terminal of so many columns. */
export function formatReport(view: StackView, columns: number): string {
  const { title, head, facts, log } = formatStatus(view);
  const wrapRows = (rows: readonly Row[]) => rows.flatMap((row) => wrapRow(row, columns - 1));
  return [
    title,
    "",
    ...wrapRows(head),
    ...(facts.length > 0 ? ["", ...wrapRows(facts)] : []),
    ...(log.length > 0 ? ["", "log:", ...log.map((line) => `  ${truncate(line, columns - 3)}`)] : []),
  ].join("\n");
}
