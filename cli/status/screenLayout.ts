import wrapAnsi from "wrap-ansi";
import { printable } from "../../core/util/printable";

/** Wraps a text at blanks, and within a word only if the word is longer than a line. */
export function wrap(text: string, width: number): string[] {
  return wrapAnsi(text, width, { hard: true }).split("\n");
}

/** Wraps a text behind a head, and indents further lines to the beginning of the text. Removes terminal commands. */
export function hang(head: string, text: string, width: number): string[] {
  const indent = " ".repeat([...head].length);
  return wrap(printable(text), Math.max(10, width - indent.length)).map((line, i) =>
    `${i === 0 ? printable(head) : indent}${line}`.trimEnd(),
  );
}

/** Cuts a text that is wider than `width` columns of a terminal, and marks the cut. */
export function truncate(text: string, width: number): string {
  const cut = (columns: number) => wrapAnsi(text, columns, { hard: true, wordWrap: false, trim: false }).split("\n");
  return cut(width).length === 1 ? text : `${cut(width - 1)[0]}…`;
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
