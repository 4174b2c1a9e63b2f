import type { Commands } from "../../util/commands";
import type { Problem } from "../../util/problem";
import type { OrchestratorFacts } from "../rules/hostPairFacts";

/** Free space needed beyond the copied files: for journals, a rewritten configuration, the node's growth meanwhile. */
export const marginBytes = 64 * 1024 * 1024;

export function findMissingTools(address: string, { lacks }: OrchestratorFacts, run: Commands): Problem[] {
  if (lacks.length === 0) return [];
  return [
    {
      what: `${address}: tools are missing on the host`,
      found: `no ${lacks.join(", no ")}`,
      needed: "install them",
      next: `Then run ${run.up} again.`,
    },
  ];
}

export function listFailedChecks(checks: readonly (Problem | false)[]): Problem[] {
  return checks.filter((check) => check !== false);
}
