import { listHostFactRows } from "../../core/ssh/hostFacts";
import { chainRisk } from "../../core/sync/decideSynced";
import { formatProgress } from "../../core/sync/syncMessages";
import { printable } from "../../core/util/printable";
import { formatUtcMinute } from "../../core/util/timeText";
import { formatHolder } from "../pulumi/locks";
import { decideStage } from "./hostStage";
import { formatParts } from "./parts/partRows";
import { getValue } from "./parts/statusParts";
import { truncate, wrap } from "./screenLayout";
import type { Row, StackView } from "./stackView";

const labelWidth = 14;

/** Formats a status for a terminal of so many columns, the most important first. */
export function formatReport(view: StackView, columns: number): string {
  const { pillar, stack, address, facts } = view;
  const formatRows = (rows: readonly Row[]) =>
    rows.flatMap(([label, text, ...kind]) => wrapRow([label, printable(text), ...kind], columns - 1));
  const factRows = facts ? formatRows(listHostFactRows(facts)) : [];
  const log = (facts?.log ?? []).map((line) => `  ${truncate(shortenLogLine(printable(line)), columns - 3)}`);
  return [
    `Pillar ${pillar}, stack ${stack}, host ${address}`,
    "",
    ...formatRows([...listStageRows(view), ...formatParts(view, Date.now())]),
    ...(factRows.length > 0 ? ["", ...factRows] : []),
    ...(log.length > 0 ? ["", "log:", ...log] : []),
  ].join("\n");
}

export function wrapRow([label, text, kind]: Row, width: number): string[] {
  if (kind === "command") return [`${label.padEnd(labelWidth)}${text}`.trimEnd()];
  const [start = "", indent = "", bullet = ""] = /^( *)(- )?/.exec(text) ?? [];
  const room = Math.max(20, width - labelWidth - start.length);
  return wrap(text.slice(start.length), room).map((line, i) =>
    `${(i === 0 ? label : "").padEnd(labelWidth)}${indent}${i === 0 ? bullet : " ".repeat(bullet.length)}${line}`.trimEnd(),
  );
}

function listStageRows(view: StackView): Row[] {
  const { locks = [], state, sync, parts, synced } = view;
  const { stage, next } = decideStage(view);
  const node = getValue(parts.node);
  const isOff = node && !node.active && node.masked;
  const rows: (readonly [label: string, text: string | undefined | false])[] = [
    ["stage", stage],
    ["next", next],
    ["pulumi", view.locks === undefined && describePossibleRun(state.pending)],
    ...locks.map(({ lock, holder }) => {
      const does = { lives: "is active", gone: "was killed", unknown: "holds the lock" }[holder];
      return ["pulumi", `a run ${does}: ${formatHolder(lock)}`] as const;
    }),
    ["sync", isOff ? "the node is off and masked" : sync && formatProgress(sync)],
    ["chain", view.isChainUnverified && chainRisk],
    ["waiting", !synced && state.wait && formatWait(state.wait)],
  ];
  return rows.flatMap(([label, text]) => (text ? [[label, text]] : []));
}

/** Describes a run by the state alone, for a backend that does not show its locks. */
function describePossibleRun(pending: StackView["state"]["pending"]): string {
  if (pending.length === 0) return "this backend does not show whether a run is active";
  const names = pending.map(({ name }) => name).join(", ");
  return `a run is active or was killed during ${names}; this backend does not show which`;
}

function shortenLogLine(line: string): string {
  return line.replace(/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\S* \S+ /, "$1 ");
}

function formatWait({ syncedAt, startedAt, startHeight }: NonNullable<StackView["state"]["wait"]>): string {
  if (syncedAt !== undefined) return `the node was synced at ${formatUtcMinute(Date.parse(syncedAt))}`;
  const from = startHeight === undefined ? "" : `, from height ${startHeight}`;
  return `since ${formatUtcMinute(Date.parse(startedAt))}${from}`;
}
