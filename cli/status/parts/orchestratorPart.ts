import type { OrchestratorStatus } from "../../../core/chain/orchestrator";
import type { HostFacts } from "../../../core/retirement/readHost";
import { hasOrchestratorTraces } from "../../../core/retirement/retirementFacts";
import type { Result } from "../../../core/util/result";

export interface OrchestratorAnswer {
  readonly version: string;
  /** Undefined if the orchestrator's version has no status call. */
  readonly status?: OrchestratorStatus;
}

export interface OrchestratorPart {
  readonly kind: "none" | "signs" | "silent" | "second" | "moved" | "unfenced" | "waits" | "stopped";
  readonly text: string;
  readonly isWrong: boolean;
}

const here: readonly string[] = ["running", "starting", "restored"];
/** Stages of the journal in which the orchestrator may run here. */
const mayRun: readonly string[] = [...here, "restoring", "stopping"];

/** Describes the orchestrator of a host. @param answer answer of its RPC, if it runs */
export function describeOrchestrator(
  facts: HostFacts,
  answer: Result<OrchestratorAnswer> | undefined,
): OrchestratorPart {
  const { active, masked, hasKeyStore, restarts, journal } = facts.signer;
  const other = journal?.other.address;
  if (!hasOrchestratorTraces(facts)) return { kind: "none", text: "none on this host", isWrong: false };
  if (active && journal && !mayRun.includes(journal.stage)) {
    const why = ["fenced", "moved"].includes(journal.stage)
      ? `it moved to ${other}`
      : `the move to or from ${other} is at stage "${journal.stage}"`;
    const text = `it runs here, but ${why}: two may sign now. To stop one: docs/orchestrator.md, A second orchestrator`;
    return { kind: "second", text, isWrong: true };
  }
  if (active && answer !== undefined) {
    if ("problem" in answer) {
      const again = restarts ? `; restarted ${restarts} times (it also restarts when it loses its node)` : "";
      return { kind: "silent", text: `it runs here, but does not answer: ${answer.problem}${again}`, isWrong: true };
    }
    const { version, status } = answer.value;
    const state = status ? `, ${status.stateName}` : "";
    const peers = status?.peers === undefined ? "" : `, ${status.peers} other orchestrators`;
    return { kind: "signs", text: `${version} runs here${state}${peers}`, isWrong: false };
  }
  if (journal && here.includes(journal.stage))
    return { kind: "stopped", text: "it should run here, but does not: check its unit", isWrong: true };
  if (journal && ["fenced", "moved"].includes(journal.stage)) {
    const fence = masked && !hasKeyStore ? "fenced here" : "NOT fenced here any more";
    return { kind: "moved", text: `it moved to ${other}; ${fence}`, isWrong: !masked || hasKeyStore };
  }
  if (journal)
    return { kind: "waits", text: `its move is at stage "${journal.stage}"; it does not run`, isWrong: false };
  if (masked) return { kind: "waits", text: "installed, masked and not started", isWrong: false };
  return { kind: "unfenced", text: "it does not run, and is not fenced: a start would make it sign", isWrong: false };
}
