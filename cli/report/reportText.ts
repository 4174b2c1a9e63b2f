import { formatDuration } from "../../core/util/timeText.ts";
import { hang } from "../status/screenLayout.ts";
import type { Item, Report } from "./buildReport.ts";
import { formatMinute } from "./eventTable.ts";

/** Formats a report for programs. Escapes every character that controls a terminal. */
export function formatJson(report: Report): string {
  return JSON.stringify(report, undefined, 2).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").reduce((text, unit) => `${text}\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`, ""),
  );
}

export function formatText(report: Report, columns: number): string {
  const width = Math.max(30, Math.min(columns, 120) - 1);
  const { pillar, stack, stacks, from, to, unread, timeline } = report;
  const others = stacks.length > 1 ? `, with ${stacks.slice(1).join(", ")}` : "";
  const end =
    from === to ? " UTC" : ` to ${formatMinute(to)} UTC (${formatDuration(Date.parse(to) - Date.parse(from))})`;
  const overrides = timeline.filter(({ event }) => event === "override");
  return [
    ...hang("", `Pillar ${pillar}, stack ${stack}${others}`, width),
    ...hang("", `${formatMinute(from)}${end}`, width),
    ...(overrides.length > 0 ? ["", "!! OVERRIDDEN BY THE OPERATOR"] : []),
    ...overrides.flatMap(({ at, stack, lines }) => [
      ...hang("!! ", `${formatMinute(at)}, ${stack}`, width),
      ...lines.flatMap((line) => hang("!!   ", line, width)),
    ]),
    "",
    "Time line (UTC; +: time since the previous stage)",
    ...timeline.flatMap((item) => formatItem(item, Math.max(...stacks.map((each) => each.length)), width)),
    ...(unread === 0 ? [] : ["", `Lines of the event log that could not be read: ${unread}`]),
  ].join("\n");
}

function formatItem({ at, stack, title, lines, seconds, weight }: Item, wide: number, width: number): string[] {
  const mark = { stage: "*", note: " ", alarm: "!" }[weight];
  const head = `${mark} ${formatMinute(at)}  ${stack.padEnd(wide)}  `;
  const took = seconds === undefined ? "" : ` (+${formatDuration(seconds * 1000)})`;
  const indent = " ".repeat(head.length);
  return [...hang(head, `${title}${took}`, width), ...lines.flatMap((line) => hang(`${indent}- `, line, width))];
}
