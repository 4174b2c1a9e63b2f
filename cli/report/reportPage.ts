import { printable } from "../../core/util/printable";
import { formatDuration } from "../../core/util/timeText";
import type { Item, Report } from "./buildReport";
import { formatMinute } from "./eventTable";
import { describeReport } from "./reportText";

/** Makes the browser refuse everything that the page does not need: it runs and loads nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const style = `:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem; max-width: 56rem; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
table { border-collapse: collapse; } td { border-top: 1px solid #8886; padding: .4rem .75rem .4rem 0; vertical-align: top; }
ul { margin: 0; padding-left: 1.1rem; } .note strong { font-weight: normal; } .alarm strong { color: #d33; }
.box { border: 2px solid #d33; padding: 0 1rem; } tr { break-inside: avoid; }`;

/** Formats a report as one HTML page that needs no network and no script. */
export function formatPage(report: Report): string {
  const { title, span, unread } = describeReport(report);
  const overrides = report.timeline.filter(({ event }) => event === "override");
  const box = `<section class="box"><h2>Overridden by the operator</h2><table>${overrides.map(formatRow).join("\n")}</table></section>`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style></head>
<body><h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(span)}; + since the stage before</p>
${overrides.length > 0 ? box : ""}
<table>${report.timeline.map(formatRow).join("\n")}</table>
${unread.map((line) => `<p>${escapeHtml(line)}</p>`).join("")}
</body></html>
`;
}

/** Escapes a text for the page, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function formatRow({ at, stack, title, lines, weight, seconds }: Item): string {
  const took = seconds === undefined ? "" : ` +${formatDuration(seconds * 1000)}`;
  const list = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("");
  const text = `<strong>${escapeHtml(title)}</strong>${took}<ul>${list}</ul>`;
  return `<tr class="${weight}"><td>${formatMinute(at)}</td><td>${escapeHtml(stack)}</td><td>${text}</td></tr>`;
}
