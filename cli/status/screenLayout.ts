import wrapAnsi from "wrap-ansi";
import { printable } from "../../core/util/printable.ts";

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
