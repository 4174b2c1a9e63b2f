import type { OrchestratorStatus } from "../../../core/chain/orchestrator.ts";
import type { UnknownSpork } from "../../../core/chain/sporks.ts";
import type { PortResult } from "../../../core/cloud/portRules.ts";
import type { StackOrchestrator, StackParts } from "../../../core/journey/stackFacts.ts";
import type { OrchestratorState } from "../../../core/orchestrator/hosts/orchestratorFacts.ts";
import { findConnectionsTo, useOwnNode } from "../../../core/orchestrator/rules/endpoints.ts";
import { findCutOff } from "../../../core/orchestrator/rules/journal.ts";
import { lookUpStage } from "../../../core/orchestrator/rules/journalStages.ts";
import type { HostFacts } from "../../../core/retirement/readHost.ts";
import { hasOrchestratorTraces } from "../../../core/retirement/retirementFacts.ts";
import { takeFirstLine } from "../../../core/util/printable.ts";
import { type Result, toResult } from "../../../core/util/result.ts";
import { formatUtcMinute } from "../../../core/util/timeText.ts";
import { withTimeout } from "../../../core/util/withTimeout.ts";

export type SporksPart = { readonly version?: string; readonly unknown: readonly UnknownSpork[] };

export interface StatusParts extends StackParts {
  readonly orchestrator: Result<OrchestratorPart>;
  /** Ports as this machine sees them, of an existing server only: the program sets a cloud server's firewall. */
  readonly ports: Result<readonly PortResult[]> | undefined;
  readonly rewards: Result<string>;
  readonly sporks: Result<SporksPart>;
}

const partTimeoutMs = 40_000;

/** Reads a part within a timeout. The problem is the first line of the error. */
export async function readPart<T>(read: () => Promise<T>, timeoutMs = partTimeoutMs): Promise<Result<T>> {
  const result = await toResult((async () => withTimeout(read(), timeoutMs))());
  return "value" in result ? result : { problem: takeFirstLine(result.problem) || "an error without a message" };
}

export interface OrchestratorAnswer {
  readonly version: string;
  /** Undefined if the orchestrator's version has no status call. */
  readonly status?: OrchestratorStatus;
}

export type OrchestratorPart = StackOrchestrator & Readonly<{ text: string; isWrong: boolean }>;

/** Describes the orchestrator of a host. @param answer answer of its RPC, if it runs @param old that of the old host, if it was read */
export function describeOrchestrator(
  facts: HostFacts,
  answer: Result<OrchestratorAnswer> | undefined,
  old?: Pick<OrchestratorState, "active" | "leased" | "journal">,
): OrchestratorPart {
  const { active, masked, hasKeyStore, unit, connections, journal } = facts.orchestrator;
  const part = (kind: OrchestratorPart["kind"], text: string, isWrong = false) => ({
    kind,
    text,
    isWrong,
    runsOnOld: old?.active,
  });
  const stage = journal?.stage ?? "";
  const { role, key, mayRun, isOpen } = lookUpStage(stage);
  const other = journal?.other.address;
  const hasLeft = role === "source" && !mayRun;
  const cutOff = findCutOff([facts.orchestrator, ...(old ? [old] : [])]);
  if (cutOff) {
    const since = formatUtcMinute(cutOff.since);
    return {
      ...part("cutOff", `NO HOST SIGNS since ${since}: its move was cut off ("${cutOff.stage}")`, true),
      cutOff,
    };
  }
  if (!hasOrchestratorTraces(facts)) return part("none", "none on this host");
  if (active && journal && !mayRun) {
    const why = hasLeft ? `it moved to ${other}` : `the move to or from ${other} is at stage "${stage}"`;
    const help = "To stop one: docs/orchestrator.md, A second orchestrator";
    return part("second", `it runs here, but ${why}: two may sign now. ${help}`, true);
  }
  if (active && answer !== undefined) {
    if ("problem" in answer) {
      const again = unit.restarts ? `; restarted ${unit.restarts} times (it also restarts when it loses its node)` : "";
      return part("silent", `it runs here, but does not answer: ${answer.problem}${again}`, true);
    }
    const { version, status } = answer.value;
    const state = status ? `, ${status.stateName}` : "";
    const peers = status?.peers === undefined ? "" : `, ${status.peers} other orchestrators`;
    const usesOther = findConnectionsTo(connections, [other ?? ""]).length > 0;
    const but = `, but it uses a node of ${other}, and ends when that node does. Needed: ${useOwnNode}`;
    // The move enables the unit at its end.
    const isBootless = unit.isDisabled === true && !isOpen;
    const boot = isBootless ? ", but no boot starts it (systemctl enable)" : "";
    return part("signs", `${version} runs here${state}${peers}${usesOther ? but : boot}`, usesOther || isBootless);
  }
  if (key) return part("stopped", "it should run here, but does not: check its unit", true);
  if (hasLeft) {
    const isFenced = masked && !hasKeyStore;
    return part("moved", `it moved to ${other}; ${isFenced ? "fenced here" : "NOT fenced here any more"}`, !isFenced);
  }
  if (journal) return part("waits", `its move is at stage "${stage}"; it does not run`);
  if (masked) return part("waits", "installed, masked and not started");
  return part("unfenced", "it does not run, and is not fenced: a start would make it sign");
}
