import { findPortProblems, formatPortList, type PortResult } from "../../core/cloud/portRules.ts";
import { listHostFactRows } from "../../core/host/nodeFacts.ts";
import { decideNextStep } from "../../core/journey/decideNextStep.ts";
import { formatHolder } from "../../core/journey/runTexts.ts";
import { isOurs, type Registration } from "../../core/registration/registration.ts";
import { formatRegistration, stillOurs } from "../../core/registration/registrationMessages.ts";
import { formatUnmet } from "../../core/retirement/refusalText.ts";
import { chainRisk } from "../../core/sync/decideSynced.ts";
import { formatProgress } from "../../core/sync/progress.ts";
import type { TextLine } from "../../core/util/commands.ts";
import { printable } from "../../core/util/printable.ts";
import { type Result, takeValue } from "../../core/util/result.ts";
import { formatUtcMinute } from "../../core/util/timeText.ts";
import { decideStage, listFacts } from "./hostStage.ts";
import { findProblems } from "./parts/hostProblemsPart.ts";
import { hang, truncate } from "./screenLayout.ts";
import type { Row, StackView } from "./stackView.ts";

export const labelWidth = 14;

export function formatReport(view: StackView, columns: number): string {
  const { pillar, stack, address, facts } = view;
  const formatRows = (rows: readonly Row[]) => rows.flatMap((row) => wrapRow(row, columns - 1));
  const factRows = facts ? formatRows(listHostFactRows(facts)) : [];
  const log = formatLog(facts, columns);
  const decision = decideNextStep(listFacts(view));
  return [
    ...(decision.before === "noSigner" ? [...decision.lines, ""] : []),
    `Pillar ${pillar}, stack ${stack}, host ${address}`,
    "",
    ...formatRows([...listStageRows(view), ...formatParts(view, Date.now())]),
    ...(factRows.length > 0 ? ["", ...factRows] : []),
    ...(log.length > 0 ? ["", "log:", ...log] : []),
  ].join("\n");
}

export const formatLog = (facts: StackView["facts"], columns: number): string[] =>
  (facts?.log ?? []).map((line) => `  ${truncate(shortenLogLine(printable(line)), columns - 3)}`);

export function wrapRow([label, text, kind]: Row, width: number): string[] {
  if (kind === "command") return [printable(`${label.padEnd(labelWidth)}${text}`)];
  const [start = ""] = /^ *(- )?/.exec(text) ?? [];
  return hang(label.padEnd(labelWidth) + start, text.slice(start.length), width);
}

/** @param syncRows the rows of the sync, by default one in words */
export function listStageRows(view: StackView, syncRows?: readonly Row[]): Row[] {
  const { locks = [], sync, parts } = view;
  const { stage, next } = decideStage(view);
  const node = takeValue(parts.node);
  const isOff = node && !node.active && node.masked;
  const rows: (readonly [label: string, text: string | undefined | false])[] = [
    ["stage", stage],
    ["next", next],
    ["pulumi", view.locks === undefined && "this backend does not show whether a run is active"],
    ...locks.map(({ lock, holder }) => {
      const does = { lives: "is active", gone: "was killed", unknown: "holds the lock" }[holder];
      return ["pulumi", `a run ${does}: ${formatHolder(lock)}`] as const;
    }),
    ["sync", isOff ? "the node is off and masked" : !syncRows && sync && formatProgress(sync)],
    ["chain", view.isChainUnverified && chainRisk],
  ];
  const bar = isOff ? [] : (syncRows ?? []);
  const waysBack = (view.waysBack ?? []).map((line, row) => createRow(row === 0 ? "database" : "", line));
  return [...rows.flatMap(([label, text]): Row[] => (text ? [[label, text]] : [])), ...bar, ...waysBack];
}

const createRow = (label: string, line: TextLine): Row =>
  typeof line === "string" ? [label, line] : [label, line.command, "command"];

function shortenLogLine(line: string): string {
  return line.replace(/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\S* \S+ /, "$1 ");
}

export const formatParts = (view: StackView, now: number): Row[] => [
  ...listPartRows(view, now, formatPorts(view.parts.ports)),
  ...listProblemRows(view),
];

export const listProblemRows = (view: StackView): Row[] =>
  findProblems(view).map(({ label, text }): Row => [label, text]);

export function listPartRows(view: StackView, now: number, ports: readonly Row[]): Row[] {
  const { parts } = view;
  return [
    ...labelRows("address", parts.registration, (registration) => formatAddress(registration, view, now)),
    ...labelRows("producing", parts.registration, (registration) => [describeProducing(registration, view)]),
    ...labelRows("orchestrator", parts.orchestrator, ({ text }) => [text]),
    ...ports,
    ...labelRows("version", parts.sporks, ({ version }) => [version ?? "the node does not report it"]),
    ...labelRows("rewards", parts.rewards, (text) => [text]),
    ...formatDestroy(view),
  ];
}

function labelRows<T>(label: string, part: Result<T>, format: (value: T) => readonly string[]): Row[] {
  const lines = "problem" in part ? [`unknown: ${part.problem}`] : format(part.value);
  return lines.map((line, i) => [i === 0 ? label : "", line]);
}

function formatPorts(ports: Result<readonly PortResult[]> | undefined): Row[] {
  if (ports === undefined) return [];
  const faults = "value" in ports ? findPortProblems(ports.value) : [];
  return [
    ...labelRows("ports", ports, (found) => [formatPortList(found)]),
    ...faults.map((line) => createRow("", line)),
  ];
}

function formatAddress(registration: Registration, { pillar, lifecycle }: StackView, now: number): string[] {
  const notes = registration.notes.map((note) => `  ${note}`);
  if (isOurs(registration)) {
    const since = now - registration.since < 60_000 ? "" : ` (since ${formatUtcMinute(registration.since)} or longer)`;
    return [`registered: ${pillar} has this host's address, ${registration.address}${since}`, ...notes];
  }
  // Leaves the notes out, because the reason repeats them.
  if (registration.kind === "unknown") return [`unknown: ${registration.why}`];
  // Not with formatRegistration: it says that the other address is "still" registered, which only fits a new host.
  if (lifecycle !== "active" && "address" in registration)
    return [`not registered: ${pillar} has another host's address, ${registration.address}`, ...notes];
  return [`not registered: ${formatRegistration(registration, pillar)}`, ...notes];
}

/** Describes whether a host produces although another address is registered: it may for two more ticks. */
function describeUnregistered(found: Extract<Registration, { wasOurs: boolean }>, lifecycle: string): string {
  const { last, wasOurs } = found;
  if (last?.isOurs)
    return `yes, still (momentum ${last.height}, ${formatUtcMinute(last.at)}), with another address registered: ${stillOurs}`;
  // A new host that was never registered can't have produced.
  if (last || (lifecycle === "active" && !wasOurs)) return "no: another producer address is registered";
  return `unknown: another producer address is registered, and no recent momentum is of either address; ${stillOurs}`;
}

function describeProducing(registration: Registration, { pillar, lifecycle }: StackView): string {
  switch (registration.kind) {
    case "producing": {
      const { switched, figures } = registration;
      const count = figures
        ? `; ${figures.produced} of ${figures.expected} expected momentums of this epoch so far, by a count up to five minutes old`
        : "";
      return `yes, since momentum ${switched.height} (${formatUtcMinute(switched.at)})${count}`;
    }
    case "registered":
      return `not yet: ${formatRegistration(registration, pillar)}`;
    case "tooEarly":
      return "no: a node that is not synced produces nothing";
    case "unknown":
      return "unknown, because the registered address is unknown";
    case "unknownPillar":
      return "no: nobody registered this Pillar";
    default:
      return describeUnregistered(registration, lifecycle);
  }
}

function formatDestroy({ stack, lifecycle, parts: { destroy } }: StackView): Row[] {
  if (destroy === undefined) return [["destroy", `refused: pillar-host:lifecycle of ${stack} is ${lifecycle}`]];
  return labelRows("destroy", destroy, (unmet) => {
    const conditions = unmet.map(formatUnmet);
    if (lifecycle !== "retiring")
      conditions.unshift([
        `- pillar-host:lifecycle is ${lifecycle}`,
        "    needed: set pillar-host:lifecycle to retiring",
      ]);
    const count = conditions.length;
    if (count === 0) return ["allowed: all conditions are met"];
    return [`refused: ${count === 1 ? "one condition is" : `${count} conditions are`} not met`, ...conditions.flat()];
  });
}
