import cliTruncate from "cli-truncate";
import wrapAnsi from "wrap-ansi";
import type { Row } from "../terminal/row";
import type { StatusRows } from "./statusRows";

/** A terminal's size in characters. */
interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const labelWidth = 14;
/** Maximum number of lines for events, so that some are left for the log. */
const maxEventLines = 8;

/** Wraps a text at blanks, and within a word only if the word is longer than a line. */
export function wrap(text: string, width: number): string[] {
  return wrapAnsi(text, width, { hard: true }).split("\n");
}

export const truncate = (text: string, width: number) => cliTruncate(text, width);

function wrapRow([label, text, weight]: Row, width: number, isWhole = false): string[] {
  if (isWhole && weight === "command") return [`${label.padEnd(labelWidth)}${text}`.trimEnd()];
  const [start = "", indent = "", bullet = ""] = /^( *)(- )?/.exec(text) ?? [];
  const room = Math.max(20, width - labelWidth - start.length);
  return wrap(text.slice(start.length), room).map((line, i) =>
    `${(i === 0 ? label : "").padEnd(labelWidth)}${indent}${i === 0 ? bullet : " ".repeat(bullet.length)}${line}`.trimEnd(),
  );
}

/** Returns title, head and facts. Without room for all, leaves out the head's details first, then the facts. */
function fixedLines(all: readonly StatusRows[], width: number, height: number): string[] {
  const isWhole = height === Number.POSITIVE_INFINITY;
  const lines = (withDetails: boolean, withFacts: boolean) =>
    all.flatMap(({ title, head, facts }, i) => {
      const kept = head.filter(([, , weight]) => withDetails || weight !== "detail");
      const below = withFacts && facts.length > 0 ? ["", ...facts.flatMap((row) => wrapRow(row, width, isWhole))] : [];
      return [...(i === 0 ? [] : [""]), title, "", ...kept.flatMap((row) => wrapRow(row, width, isWhole)), ...below];
    });
  const attempts = [lines(true, true), lines(false, true), lines(false, false)];
  const fitting = attempts.find(({ length }) => length <= height) ?? lines(false, false);
  return isWhole ? fitting : fitting.map((line) => truncate(line, width));
}

/**
 * Returns a screen's lines. Without room, shortens the log of a single stack first, then the events (newest last),
 * details and facts.
 */
export function layOutScreen(all: readonly StatusRows[], events: readonly string[], size: TerminalSize): string[] {
  const width = size.columns - 1;
  // The last line is for the cursor.
  const height = size.rows - 1;
  const fixed = fixedLines(all, width, height);
  const wrapped = events.map((line) => wrap(line, width - 4).map((part, i) => (i === 0 ? part : `  ${part}`)));
  const eventLines = formatBlock("events (UTC):", wrapped, Math.min(maxEventLines, height - fixed.length));
  const log = all.length === 1 ? (all[0]?.log ?? []).map((line) => [truncate(line, width - 2)]) : [];
  const logLines = formatBlock("log:", log, height - fixed.length - eventLines.length);
  return fitLines([...fixed, ...eventLines, ...logLines], height, width);
}

/** Keeps as many lines as fit, and counts the others. */
function fitLines(lines: readonly string[], height: number, width: number): string[] {
  const room = Math.max(1, height);
  if (lines.length <= room) return [...lines];
  const left = lines.length - room + 1;
  return [...lines.slice(0, room - 1), truncate(`… ${left} more lines: make the terminal higher to see them`, width)];
}

function formatBlock(heading: string, entries: readonly (readonly string[])[], room: number): string[] {
  let lines: string[] = [];
  for (const entry of [...entries].reverse()) {
    if (lines.length + entry.length + 2 > room) break;
    lines = [...entry, ...lines];
  }
  return lines.length === 0 ? [] : ["", heading, ...lines.map((line) => `  ${line}`)];
}

export function formatReport(rows: StatusRows, columns: number): string {
  return layOutScreen([rows], [], { columns, rows: Number.POSITIVE_INFINITY }).join("\n");
}
