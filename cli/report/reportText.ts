import { addTick, type TickProduction } from "../../core/chain/production.ts";
import { formatDuration } from "../../core/util/timeText.ts";
import { hang } from "../status/screenLayout.ts";
import type { Report } from "./buildReport.ts";
import { formatMinute } from "./eventTable.ts";
import { formatBounds } from "./verdict.ts";

/** Formats a report for programs. Escapes every character that controls a terminal. */
export function formatJson(report: Report): string {
  return JSON.stringify(report, undefined, 2).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").reduce((text, unit) => `${text}\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`, ""),
  );
}

/** Formats a report for a screen of 80 x 24: stages and alarms, who produced, and the verdict last. */
export function formatText(report: Report, columns: number, places: readonly string[] = []): string {
  const width = Math.max(30, Math.min(columns, 120) - 1);
  const { stacks, unread, production } = report;
  const wide = Math.max(...stacks.map((each) => each.length));
  const rows = listRows(report).flatMap(({ mark, time, stack, title, lines }) => {
    const head = `${mark} ${time}  ${stack.padEnd(wide)}  `;
    return [...hang(head, title, width), ...lines.flatMap((line) => hang(" ".repeat(head.length), line, width))];
  });
  return [
    ...formatHead(report).flatMap((line) => hang("", line, width)),
    "Stages (UTC; +: time since the stage before, on any host)",
    ...rows,
    ...("unknown" in production
      ? []
      : ["Own momentums by producer address, of own slots, from", ...formatPhases(production.ticks)]),
    ...places.flatMap((place) => hang("", place, width)),
    ...(unread === 0 ? [] : [`Lines of the event log that could not be read: ${unread}`]),
    ...report.verdict.flatMap((line) => hang("", line, width)),
  ].join("\n");
}

export function formatHead({ pillar, stack, stacks, from, to, timeline }: Report): string[] {
  const others = stacks.length > 1 ? `, with ${stacks.slice(1).join(", ")}` : "";
  const end =
    from === to ? " UTC" : ` to ${formatMinute(to)} UTC (${formatDuration(Date.parse(to) - Date.parse(from))})`;
  const isOverridden = timeline.some(({ event }) => event === "override");
  return [
    `Pillar ${pillar}, stack ${stack}${others}`,
    `${formatMinute(from)}${end}`,
    ...(isOverridden ? ["!! OVERRIDDEN BY THE OPERATOR"] : []),
  ];
}

/** Lists stages and alarms; only an alarm has its details. */
export function listRows({ timeline }: Report) {
  const shown = timeline.filter(({ weight }) => weight !== "note");
  return shown.map(({ at, stack, title, lines, seconds, weight }) => ({
    mark: weight === "alarm" ? "!" : "*",
    time: formatMinute(at),
    stack,
    title: seconds === undefined ? title : `${title} (+${formatDuration(seconds * 1000)})`,
    lines: weight === "alarm" ? lines : [],
  }));
}

/** Rows that still fit on the screen: the newest ones. */
const maxPhases = 5;

/** Joins ticks in a row whose momentums carry the same addresses, and that missed slots for certain or did not. */
function formatPhases(ticks: readonly TickProduction[]): string[] {
  const phases: TickProduction[] = [];
  const listOwners = (tick: TickProduction) => Object.entries(tick.producedMomentums).filter(([, count]) => count > 0);
  const findKind = (tick: TickProduction) =>
    `${listOwners(tick).map(([owner]) => owner)} ${tick.missedSlots.least > 0}`;
  for (const tick of ticks) {
    const last = phases.at(-1);
    // If there are many Pillars, some ticks have no slot of this one.
    const isSame = last && [findKind(last), " false"].includes(findKind(tick));
    phases.splice(isSame ? -1 : phases.length, 1, isSame ? addTick(last, tick) : tick);
  }
  const rows = phases.map((phase) => {
    const by = listOwners(phase).map((each) => each.join(" "));
    const missed = phase.missedSlots.least > 0 ? `, ${formatBounds(phase.missedSlots)} MISSED` : "";
    return `  ${phase.startAt.slice(11, 19)}  ${by.join(" + ") || "none"} of ${formatBounds(phase.expectedSlots)}${missed}`;
  });
  return rows.length > maxPhases ? [`  earlier ones: --json`, ...rows.slice(-maxPhases)] : rows;
}
