import type { OrchestratorStatus } from "../../../core/chain/orchestrator";
import type { HostFacts } from "../../../core/retirement/readHost";
import { hasOrchestratorTraces } from "../../../core/retirement/retirementFacts";
import type { Result } from "../../../core/util/result";

export interface OrchestratorAnswer {
  readonly version: string;
  /** Absent where its build does not tell. */
  readonly status?: OrchestratorStatus;
}

export interface OrchestratorPart {
  readonly kind: "none" | "signs" | "silent" | "second" | "moved" | "unfenced" | "waits" | "stopped";
  readonly text: string;
  readonly isWrong: boolean;
}

const here: readonly string[] = ["running", "starting", "restored"];
/** One that runs here by these stages, or will in a moment, does what it should. */
const mayRun: readonly string[] = [...here, "restoring", "stopping"];

/** What is to be said of it. @param word of its RPC, where it runs */
export function describeOrchestrator(facts: HostFacts, word: Result<OrchestratorAnswer> | undefined): OrchestratorPart {
  const { active, masked, hasKeyStore, restarts, journal } = facts.signer;
  const other = journal?.other.address;
  if (!hasOrchestratorTraces(facts)) return { kind: "none", text: "none on this host", isWrong: false };
  if (active && journal && !mayRun.includes(journal.stage)) {
    const why = ["fenced", "moved"].includes(journal.stage)
      ? `its signer went to ${other}`
      : `its move with ${other} stands at "${journal.stage}"`;
    const text = `an orchestrator runs here, and ${why}: two may sign now; how to stop one: docs/orchestrator.md, A second signer`;
    return { kind: "second", text, isWrong: true };
  }
  if (active && word !== undefined) {
    if ("problem" in word) {
      const again = restarts ? `; its unit restarted it ${restarts} times: each loss of its node restarts it, too` : "";
      return { kind: "silent", text: `it runs here, and does not answer: ${word.problem}${again}`, isWrong: true };
    }
    const { version, status } = word.value;
    const state = status ? `, ${status.stateName}` : "";
    const peers = status?.peers === undefined ? "" : `, knows ${status.peers} other signers`;
    return { kind: "signs", text: `${version} answers here${state}${peers}`, isWrong: false };
  }
  if (journal && here.includes(journal.stage))
    return { kind: "stopped", text: "it should run here, and does not: look at its service", isWrong: true };
  if (journal && ["fenced", "moved"].includes(journal.stage)) {
    const fence = masked && !hasKeyStore ? "fenced here, so that it stays off" : "NOT fenced here any more";
    return { kind: "moved", text: `it went to ${other}; ${fence}`, isWrong: !masked || hasKeyStore };
  }
  if (journal)
    return { kind: "waits", text: `its move stands at "${journal.stage}"; it is not running`, isWrong: false };
  if (masked) return { kind: "waits", text: "installed, masked and not started", isWrong: false };
  return { kind: "unfenced", text: "it does not run; nothing fences it: a start would make it sign", isWrong: false };
}
