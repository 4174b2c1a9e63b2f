import { listHostFactRows } from "../../core/ssh/hostFactsText";
import { chainRisk } from "../../core/sync/decideSynced";
import { formatProgress } from "../../core/sync/syncMessages";
import { printable } from "../../core/util/printable";
import { formatUtcMinute } from "../../core/util/timeText";
import { formatHolder } from "../pulumi/locks";
import { decideStage } from "./hostStage";
import { formatParts } from "./parts/partRows";
import { getValue } from "./parts/statusParts";
import type { Row, StackView } from "./stackView";

/** The texts of a status, the most important first. */
export interface StatusRows {
  readonly title: string;
  readonly head: readonly Row[];
  readonly facts: readonly Row[];
  /** Latest log lines of the node's service. */
  readonly log: readonly string[];
}

export function formatStatus(view: StackView): StatusRows {
  const { stage, next } = decideStage(view);
  const head: Row[] = [
    ["stage", stage],
    ["next", next],
  ];
  if (view.locks === undefined) head.push(["pulumi", describePossibleRun(view.state.pending)]);
  for (const { lock, holder } of view.locks ?? []) {
    const state = { lives: "is active", gone: "was killed", unknown: "holds the lock" }[holder];
    head.push(["pulumi", `a run ${state}: ${formatHolder(lock)}`]);
  }
  const sync = formatSync(view);
  if (sync !== undefined) head.push(["sync", printable(sync)]);
  if (view.isChainUnverified) head.push(["chain", chainRisk]);
  const waited = formatWait(view);
  if (waited !== undefined) head.push(["waiting", waited]);
  for (const [label, text, ...kind] of formatParts(view, Date.now())) head.push([label, printable(text), ...kind]);
  const facts = view.facts ? listHostFactRows(view.facts) : [];
  return {
    title: `Pillar ${view.pillar}, stack ${view.stack}, host ${view.address}`,
    head,
    facts: facts.map(([label, text]) => [label, printable(text)]),
    log: (view.facts?.log ?? []).map(printable).map(shortenLogLine),
  };
}

/** Describes a run by the state alone, for a backend that does not show its locks. */
function describePossibleRun(pending: StackView["state"]["pending"]): string {
  if (pending.length === 0) return "this backend does not show whether a run is active";
  const names = pending.map(({ name }) => printable(name)).join(", ");
  return `a run is active or was killed during ${names}; this backend does not show which`;
}

function shortenLogLine(line: string): string {
  return line.replace(/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\S* \S+ /, "$1 ");
}

function formatSync({ sync, parts }: StackView): string | undefined {
  const node = getValue(parts.node);
  if (node && !node.active && node.masked) return "the node is off and masked";
  return sync && formatProgress(sync);
}

function formatWait({ state: { wait }, synced }: StackView): string | undefined {
  if (wait === undefined || synced) return undefined;
  if (wait.syncedAt !== undefined) return `the node was synced at ${formatUtcMinute(Date.parse(wait.syncedAt))}`;
  const from = wait.startHeight === undefined ? "" : `, from height ${wait.startHeight}`;
  return `since ${formatUtcMinute(Date.parse(wait.startedAt))}${from}`;
}
