import type { Report } from "./buildReport.ts";
import { formatHead, listRows } from "./reportText.ts";
import { formatVerdict } from "./verdict.ts";

/** Formats a report as a page that loads nothing. It has stages and alarms, no note: errors may name logins. */
export function formatPage(report: Report): string {
  const { production } = report;
  // The reason may name a login.
  const isUnknown = "unknown" in production;
  const verdict = isUnknown
    ? formatVerdict({ unknown: "the report on the operator's machine says why" }, report.orchestratorGaps)
    : report.verdict;
  const [title = "", ...warnings] = formatHead(report).map(escapeHtml);
  const rows = listRows(report).map(({ mark, time, stack, title: what, lines }, index) => {
    const texts = [what, ...lines].map(escapeHtml).join("<br>");
    return `<tr><td>${mark === "!" ? mark : index + 1}<td>${time}<td>${escapeHtml(stack)}<td>${texts}`;
  });
  const picture = isUnknown ? "" : drawPicture(report, production);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${style}</style>
<h1>${title}</h1>${warnings.map((line) => `<p>${line}`).join("")}
<p class="verdict">${verdict.map(escapeHtml).join("<br>")}
<div>${picture}</div><table>${rows.join("\n")}</table>
<p>This page has names of the Pillar and its stacks, addresses of hosts and producers, and times (UTC; +: since the stage before). It has no login, no key
and no log, and loads nothing.</html>
`;
}

const style = `:root { color-scheme: light dark; --old: #b06a00; --new: #1a7f37; --bad: #d1242f }
@media (prefers-color-scheme: dark) { :root { --old: #e3a04a; --new: #56d364; --bad: #ff7b72 } }
body { font: 1rem/1.4 system-ui, sans-serif; max-width: 44rem; margin: auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.1rem } .verdict { font-weight: 600; border-left: .3rem solid; padding-left: .6rem }
svg { width: 100% } svg text { font-size: 11px; fill: currentColor } path { stroke: #8888 }
.old { fill: var(--old) } .new { fill: var(--new) } .other { fill: #8250df } .missed { fill: var(--bad) }
.gap { fill: currentColor } table { border-collapse: collapse } td { padding: .2rem .4rem; vertical-align: top; border-top: 1px solid #8888; font-size: .9rem }
td:nth-child(-n+3) { white-space: nowrap }`;

type Known = Extract<Report["production"], { ticks: unknown }>;

/** Draws the ticks of the switch, in units of which a phone has as many pixels: its texts stay readable there. */
function drawPicture({ timeline, orchestratorGaps }: Report, { ticks, tickSeconds, total }: Known): string {
  const [begin, length] = [Date.parse(ticks[0]?.startAt ?? ""), ticks.length * tickSeconds * 1000];
  const isIn = (time: number) => time >= begin && time <= begin + length;
  const toX = (time: number) => Math.round(500 + ((time - begin) / length) * 3400) / 10;
  const drawText = (x: number, y: number, text: string) => `<text x="${x}" y="${y}">${text}</text>`;
  const drawBar = (kind: string, from: number, seconds: number, [y, height]: readonly [number, number]) => {
    const width = Math.max(1.5, toX(from + seconds * 1000) - toX(from) - 0.5);
    return `<rect class="${kind}" x="${toX(from)}" y="${y - height}" width="${width}" height="${height}"/>`;
  };
  const lanes = ["old", "new", "missed", ...(total.producedMomentums.other > 0 ? ["other"] : [])];
  const toY = (lane: string) => 55 + lanes.indexOf(lane) * 40;
  const most = Math.max(1, ...ticks.map(({ expectedSlots }) => expectedSlots.most));
  const bars = ticks.flatMap(({ startAt, producedMomentums, missedSlots }) =>
    Object.entries({ ...producedMomentums, missed: missedSlots.least }).map(([lane, count]) =>
      count === 0 ? "" : drawBar(lane, Date.parse(startAt), tickSeconds, [toY(lane), (count / most) * 32]),
    ),
  );
  const bottom = 60 + lanes.length * 40;
  const gaps = orchestratorGaps.map((gap) => {
    const seconds = "seconds" in gap ? gap.seconds : 0;
    const from = Date.parse(gap.at) - seconds * 1000;
    return isIn(from) ? drawBar("gap", from, seconds, [bottom - 20, 10]) : "";
  });
  const shown = timeline.filter(({ weight }) => weight !== "note").map(({ at }) => toX(Date.parse(at)));
  const marks = shown.map((x, index) =>
    x < 50 || x > 390 ? "" : `<path d="M${x} 14V${bottom - 20}"/>${drawText(x - 3, 10, `${index + 1}`)}`,
  );
  const labels = [...lanes.map((lane) => drawText(0, toY(lane), lane)), drawText(0, bottom - 20, "gap")];
  const ends = [0, length].map((ms) =>
    drawText(ms ? 342 : 50, bottom - 4, new Date(begin + ms).toISOString().slice(11, 19)),
  );
  return `<svg viewBox="0 0 400 ${bottom}" role="img" aria-label="Momentums by tick">${[...marks, ...bars, ...gaps, ...labels, ...ends].join("")}</svg>
<p>A bar is the Pillar's momentums in a tick of ${tickSeconds} s, by producer address, or its missed slots; gap: no orchestrator. Numbers: the stages below.
`;
}

function escapeHtml(value: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return value.replace(/[\p{Cc}\p{Cf}]/gu, " ").replace(/[&<>"']/g, (character) => names[character] ?? "");
}
