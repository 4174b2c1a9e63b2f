import { printable } from "../../core/util/printable";
import { phasesChart, syncChart, widths } from "./charts";
import type { Item, Report } from "./reportTypes";
import { style } from "./style";
import { type Fact, headOf, lasting, minute, orchestratorFacts, switchFacts, syncFacts, unreadText } from "./words";

/** Forbids a page whatever it does not need: it runs nothing and loads nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** A report as one HTML page that needs no network and no script. */
export function reportPage(report: Report): string {
  const { title, span } = headOf(report);
  const { stack, overrides, open, timeline, phases, syncs, switches, signer } = report;
  const unread = unreadText(report);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${safe(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${safe(title)}</h1>
<p class="soft">${safe(span)}</p>
${overrides.length > 0 ? `<section class="box alarm"><h2>Overridden by the operator</h2>${each(overrides, overrideText)}</section>` : ""}
${open.length > 0 ? `<section class="box"><h2>Still open, by this record</h2>${each(open, (one) => `<p><strong>${safe(one.stack)}</strong>: ${safe(one.text)}</p>`)}</section>` : ""}
${timeline.length > 0 ? "<h2>Time line</h2>" : ""}
${phases.length > 0 ? figure("How long each part of the way took", (width) => phasesChart(phases, stack, width)) : ""}
${timeline.length > 0 ? `<ol>${each(timeline, (item) => itemText(item, stack))}</ol>` : ""}
${each(syncs, (sync) => {
  const chart = sync.curve.length > 0 ? figure("Height over time", (width) => syncChart(sync, width)) : "";
  return `<h2>Sync of ${safe(sync.stack)}</h2>${chart}${facts(syncFacts(sync))}`;
})}
${each(switches, (one) => `<h2>Switch to ${safe(one.stack)}</h2>${facts(switchFacts(one))}`)}
${each(signer, (move) => `<h2>Signer to ${safe(move.stack)}, attempt ${safe(move.attempt)}</h2>${facts(orchestratorFacts(move))}`)}
${unread === undefined ? "" : `<p class="soft">${safe(unread)}</p>`}
<p class="soft">All times are UTC. Made by pillar-host from the record beside the backups.</p>
</body>
</html>
`;
}

/** A text as it may stand in the page, between tags or in a quoted attribute (pure). */
export function safe(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return printable(text).replace(/[&<>"']/g, (character) => names[character] ?? "&#39;");
}

function each<T>(items: readonly T[], told: (item: T) => string): string {
  return items.map(told).join("\n");
}

function figure(caption: string, drawn: (width: number) => string): string {
  const drawings = each(["wide", "narrow"] as const, (size) => `<div class="${size}">${drawn(widths[size])}</div>`);
  return `<figure role="img" aria-label="${safe(caption)}">${drawings}</figure>`;
}

function list(lines: readonly string[]): string {
  return lines.length > 0 ? `<ul>${each(lines, (line) => `<li>${safe(line)}</li>`)}</ul>` : "";
}

function facts(all: readonly Fact[]): string {
  return `<dl>${each(all, ([label, text]) => `<dt>${safe(label)}</dt><dd>${safe(text)}</dd>`)}</dl>`;
}

function overrideText({ at, stack, sentence, reasons }: Report["overrides"][number]): string {
  const spite = reasons.map((reason) => `in spite of: ${reason}`);
  return `<p><time>${minute(at)}</time>, ${safe(stack)}: <strong>“${safe(sentence)}”</strong></p>${list(spite)}`;
}

function itemText({ at, stack, title, lines, weight, seconds }: Item, own: string): string {
  const took = seconds === undefined ? "" : ` <span class="soft">+${lasting(seconds)}</span>`;
  const whose = stack === own ? "own" : "other";
  return `<li class="${weight}"><time>${minute(at)}</time><span class="${whose}">${safe(stack)}</span><div><strong>${safe(title)}</strong>${took}${list(lines)}</div></li>`;
}
