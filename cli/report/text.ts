import { printable } from "../../core/util/printable";
import { wrap } from "../screen";
import type { Item, Report } from "./reportTypes";
import { type Fact, headOf, lasting, minute, orchestratorFacts, switchFacts, syncFacts, unreadText } from "./words";

const labelWidth = 13;

/** A report for a terminal or a file (pure). */
export function reportText(report: Report, columns: number): string {
  // Lines of more than this are hard to read.
  const width = Math.max(30, Math.min(columns, 120) - 1);
  const { title, span } = headOf(report);
  const wide = Math.max(...report.stacks.map((stack) => stack.length));
  const facts = (list: readonly Fact[]) =>
    list.flatMap(([label, text]) => hang(`  ${label.padEnd(labelWidth)}`, text, width));
  const part = (heading: string, lines: readonly string[]) =>
    lines.length > 0 ? ["", ...hang("", heading, width), ...lines] : [];
  const unread = unreadText(report);
  return [
    ...hang("", title, width),
    ...hang("", span, width),
    ...part(
      "!! OVERRIDDEN BY THE OPERATOR",
      report.overrides.flatMap(({ at, stack, sentence, reasons }) => [
        ...hang("!! ", `${minute(at)}, ${stack}: "${sentence}"`, width),
        ...reasons.flatMap((reason) => hang("!!   in spite of: ", reason, width)),
      ]),
    ),
    ...part(
      "Still open, by this record",
      report.open.flatMap(({ stack, text }) => hang(`  ${stack.padEnd(wide)}  `, text, width)),
    ),
    ...part(
      "Time line (UTC; + since the stage before)",
      report.timeline.flatMap((item) => itemLines(item, wide, width)),
    ),
    ...report.syncs.flatMap((sync) => part(`Sync of ${sync.stack}`, facts(syncFacts(sync)))),
    ...report.switches.flatMap((each) => part(`Switch to ${each.stack}`, facts(switchFacts(each)))),
    ...report.signer.flatMap((move) =>
      part(`Signer to ${move.stack}, attempt ${move.attempt}`, facts(orchestratorFacts(move))),
    ),
    ...(unread === undefined ? [] : ["", ...hang("", unread, width)]),
  ].join("\n");
}

function itemLines({ at, stack, title, lines, seconds, weight }: Item, wide: number, width: number): string[] {
  const mark = { stage: "*", note: " ", alarm: "!" }[weight];
  const head = `${mark} ${minute(at)}  ${stack.padEnd(wide)}  `;
  const took = seconds === undefined ? "" : ` (+${lasting(seconds)})`;
  const isNarrow = width - head.length < 30;
  const indent = " ".repeat(isNarrow ? 4 : head.length);
  return [
    ...(isNarrow ? hang("", head, width) : []),
    ...hang(isNarrow ? indent : head, `${title}${took}`, width),
    ...lines.flatMap((line) => hang(`${indent}- `, line, width)),
  ];
}

/** A text behind a head; further lines stand below its beginning. */
function hang(head: string, text: string, width: number): string[] {
  const indent = " ".repeat([...head].length);
  return wrap(printable(text), Math.max(10, width - indent.length)).map((line, i) =>
    `${i === 0 ? printable(head) : indent}${line}`.trimEnd(),
  );
}
