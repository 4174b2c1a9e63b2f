import { ProblemError } from "../../util/problem.ts";
import { lookUpStage } from "../rules/journalStages.ts";
import type { OrchestratorState } from "./orchestratorFacts.ts";

export interface OrchestratorReading {
  readonly address: string;
  /** The host's facts, or why they could not be read. */
  readonly seen: Pick<OrchestratorState, "active" | "journal"> | { readonly unseen: string };
}

/**
 * Finds the host on which the orchestrator runs, because only the key share there is worth a backup. @param again the
 * command that asks again @throws Error in the operator's words if none or several run, or one where by the journal none may
 */
export function locateOrchestrator<T extends OrchestratorReading>(hosts: readonly T[], again: string): T {
  const looks = hosts.map((host) => {
    const { address, seen } = host;
    if ("unseen" in seen) return { host, runs: false, found: `${address}: ${seen.unseen.replaceAll("\n", "\n    ")}` };
    const runs = seen.active;
    const stage = seen.journal?.stage;
    const found = `${address}: ${runs ? "an" : "no"} orchestrator runs; its journal: ${stage ?? "none"}`;
    return { host, runs, mayRun: stage === undefined || lookUpStage(stage).mayRun, found };
  });
  const [one, ...others] = looks.filter(({ runs }) => runs);
  if (one && others.length === 0 && one.mayRun) return one.host;
  throw new ProblemError({
    what: one
      ? "an orchestrator runs where by the journals none may: two may sign now"
      : "there is no running orchestrator to back up",
    found: looks.map(({ found }) => found),
    needed: one
      ? "stop all but one: docs/orchestrator.md, A second orchestrator"
      : "finish its move, start it on its host, or name the stack of that host",
    next: `Then: ${again}`,
  });
}
