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

/** Base lines of the bars, in units of which a phone has as many pixels: texts of 11 stay readable there. */
const baseLines = { old: 55, other: 55, new: 95, missed: 135, gap: 155 } as const;

/** Draws the ticks of the switch, the stages in them, and the times without an orchestrator. */
function drawPicture(
  { timeline, orchestratorGaps }: Report,
  { ticks, tickSeconds }: Extract<Report["production"], { ticks: unknown }>,
): string {
  const [begin, length] = [Date.parse(ticks[0]?.startAt ?? ""), ticks.length * tickSeconds * 1000];
  const toX = (time: number) => Math.round(500 + ((time - begin) / length) * 3400) / 10;
  const isIn = (x: number) => x >= 50 && x <= 390;
  const drawText = (x: number, y: number, text: string) => `<text x="${x}" y="${y}">${text}</text>`;
  const drawBar = (kind: keyof typeof baseLines, from: number, seconds: number, height: number) => {
    const [x, end] = [toX(from), toX(from + seconds * 1000)];
    const size = `width="${Math.max(1, end - x - 0.5)}" height="${height}"`;
    return isIn(x) && height > 0 ? `<rect class="${kind}" x="${x}" y="${baseLines[kind] - height}" ${size}/>` : "";
  };
  const scale = 32 / Math.max(1, ...ticks.map(({ expectedSlots }) => expectedSlots.most));
  const bars = ticks.flatMap(({ startAt, producedMomentums, missedSlots }) =>
    Object.entries({ ...producedMomentums, missed: missedSlots.least }).map(([kind, count]) =>
      drawBar(kind as keyof typeof baseLines, Date.parse(startAt), tickSeconds, count * scale),
    ),
  );
  const gaps = orchestratorGaps.map((gap) => {
    const seconds = "seconds" in gap ? gap.seconds : 0;
    return drawBar("gap", Date.parse(gap.at) - seconds * 1000, seconds, 10);
  });
  const stages = timeline.filter(({ weight }) => weight !== "note").map(({ at }) => toX(Date.parse(at)));
  const marks = stages.map((x, index) =>
    isIn(x) ? `<path d="M${x} 14V155"/>${drawText(x - 3, 10, `${index + 1}`)}` : "",
  );
  const labels = (["old", "new", "missed", "gap"] as const).map((kind) => drawText(0, baseLines[kind], kind));
  const ends = [0, 1].map((end) =>
    drawText(50 + end * 292, 171, new Date(begin + end * length).toISOString().slice(11, 19)),
  );
  return `<svg viewBox="0 0 400 176" role="img" aria-label="Momentums by tick">${[...marks, ...bars, ...gaps, ...labels, ...ends].join("")}</svg>
<p>A bar is the Pillar's momentums in a tick of ${tickSeconds} s, by producer address (violet: a third one), or its missed slots; gap: no orchestrator. Numbers: the stages below.
`;
}

function escapeHtml(value: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return value.replace(/[\p{Cc}\p{Cf}]/gu, " ").replace(/[&<>"']/g, (character) => names[character] ?? "");
}
