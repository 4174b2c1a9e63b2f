import { isWrong } from "../../core/cloud/portRules.ts";
import { listHostFactRows } from "../../core/host/nodeFacts.ts";
import { formatRate, listProgress, listRates, type SyncProgress } from "../../core/sync/progress.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { printableLines } from "../../core/util/printable.ts";
import { formatProblem } from "../../core/util/problem.ts";
import { formatUtcSecond } from "../../core/util/timeText.ts";
import { truncate, wrap } from "./screenLayout.ts";
import type { ReadStack, Row, StackView } from "./stackView.ts";
import { formatLog, labelWidth, listPartRows, listProblemRows, listStageRows, wrapRow } from "./statusText.ts";

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Unix milliseconds. */
  readonly now: number;
  /** True if the terminal shows block characters. */
  readonly isUtf8: boolean;
}

/** Lines of the log for which rows with less to say are left out. */
const leastLog = 5;

/** Renders a status for a terminal: only what fits, most important first, and the log in the lines that are left. */
export function renderWatch({ view, problem }: Pick<ReadStack, "view" | "problem">, screen: Screen): string[] {
  const { columns, rows, now } = screen;
  const width = columns - 1;
  // A command, too: a line that is wider than the terminal would scroll it.
  const fold = (found: readonly Row[]) => found.flatMap(([label, text]) => wrapRow([label, text], width));
  const time = formatUtcSecond(now).slice("YYYY-MM-DD ".length);
  const head = truncate(`Pillar ${view.pillar}, ${view.stack} (${view.address})`, width - time.length - 1);
  const lines = [head.padEnd(width - time.length) + time, ""];
  lines.push(...fold([...listStageRows(view, listSyncRows(view.sync, screen)), ...listProblemRows(view)]));
  const trouble = problem ? printableLines(formatProblem(problem)).split("\n") : [];
  lines.push(...trouble.flatMap((line) => wrap(line, width)));
  const facts = view.facts ? listHostFactRows(view.facts) : [];
  const ports = summarizePorts(view);
  const parts = listPartRows(view, now, view.synced ? ports : []);
  const log = formatLog(view.facts, columns);
  const kept = log.length > 0 ? 1 + Math.min(log.length, leastLog) : 0;
  let isLeftOut = false;
  for (const row of view.synced ? [...parts, ...facts] : [...ports, ...facts, ...parts]) {
    const more = fold([row]);
    // A row without a label continues the one above.
    isLeftOut = (row[0] === "" && isLeftOut) || lines.length + more.length + kept >= rows;
    if (!isLeftOut) lines.push(...more);
  }
  const room = rows - 2 - lines.length;
  const newest = room > 0 ? log.slice(-room) : [];
  return [...lines, ...(newest.length > 0 ? ["log:", ...newest] : [])].slice(0, rows - 1);
}

/** Returns what writes lines over the last ones. It never scrolls, so no copy stays in the terminal's history. */
export const formatFrame = (lines: readonly string[]): string =>
  `\u001b[H${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`;

function listSyncRows(sync: SyncProgress | undefined, { columns, isUtf8 }: Screen): Row[] {
  if (sync === undefined) return [];
  const [share = "", ...rest] = listProgress(sync);
  if (sync.percent === undefined) return [["sync", [share, ...rest].join(", ")]];
  const width = Math.max(10, columns - labelWidth - share.length - 6);
  const full = Math.floor((width * Number(sync.percent)) / 100);
  const rates = listRates(sync.samples).slice(-(columns - labelWidth - 45));
  const curve = `${drawRates(rates, isUtf8)}  a minute each, up to ${formatRate(Math.max(...rates))}`;
  return [
    ["sync", `[${"#".repeat(full)}${"-".repeat(width - full)}] ${share}`],
    ["", rest.join(", ")],
    ...(rates.length > 1 ? [["rate", curve] as const] : []),
  ];
}

/** Draws a rate a character, from none to the highest. */
export function drawRates(rates: readonly number[], isUtf8: boolean): string {
  const levels = [...(isUtf8 ? "▁▂▃▄▅▆▇█" : "_.-~=+*#")];
  const highest = Math.max(...rates);
  return rates
    .map((rate) => levels[Math.max(0, Math.ceil((rate / highest) * levels.length) - 1)] ?? levels[0])
    .join("");
}

/** Returns the ports in one row; plain `status` has the list and the commands. */
function summarizePorts({ parts: { ports }, stack }: StackView): Row[] {
  if (ports === undefined) return [];
  if ("problem" in ports) return [["ports", `unknown: ${ports.problem}`]];
  const wrong = ports.value.filter(isWrong).length;
  return [["ports", wrong === 0 ? "as they should be" : `${wrong} wrong: ${commandsFor(stack).status()}`]];
}
