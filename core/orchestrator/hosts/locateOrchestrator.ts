import { commandsFor } from "../../util/commands";
import { createProblemError } from "../../util/problem";
import type { OrchestratorFacts } from "../rules/hostPairFacts";

export interface OrchestratorReading {
  readonly address: string;
  /** The host's facts, or why they could not be read. */
  readonly seen: OrchestratorFacts | { readonly unseen: string };
}

const resting: readonly string[] = ["inactive", "failed", "unknown", ""];
/** Stages of a host that the key is leaving or arriving at. */
const movingStages: readonly string[] = ["stopping", "fenced", "staging", "staged", "switched"];
const leftStages: readonly string[] = ["moved", "abandoned"];

/**
 * Finds the host that has the orchestrator now, because only the key share there is worth a backup. @param again the
 * command that asks again @throws Error in the operator's words if it is unknown; a guess could back up an outdated share
 */
export function locateOrchestrator<T extends OrchestratorReading>(hosts: readonly T[], again: string): T {
  const looks = hosts.map((host) => {
    const { address, seen } = host;
    if ("unseen" in seen) return { host, stage: "", found: `${address}: ${seen.unseen}`, isSilent: true };
    const { journal } = seen;
    const runs = !resting.includes(seen.active);
    const hasDirectory = seen.directory === "there";
    const what = hasDirectory ? "its directory, but no orchestrator runs" : "no orchestrator";
    const stage = journal && `; by its journal the move to or from ${journal.other.address} is at "${journal.stage}"`;
    const found = `${address}: ${runs ? "an orchestrator runs" : what}${stage ?? ""}`;
    return { host, stage: journal?.stage ?? "", found, runs, hasDirectory, stack: journal?.move.stack };
  });
  const fail = (what: string, needed: string): never => {
    const found = looks.map((look) => look.found.replaceAll("\n", "\n    "));
    throw createProblemError({ what, found, needed, next: `Then: ${again}` });
  };
  const [one, ...others] = looks.filter(({ runs }) => runs);
  if (others.length > 0 || leftStages.includes(one?.stage ?? ""))
    return fail(
      "an orchestrator runs where by the journals none may: two may sign now",
      "stop all but one: docs/orchestrator.md, A second orchestrator",
    );
  if (one) return one.host;
  if (looks.some(({ isSilent }) => isSilent))
    return fail(
      "the orchestrator's host is unknown: it runs on no reachable host",
      "make each of these hosts reachable",
    );
  const moving = looks.find(({ stage }) => movingStages.includes(stage));
  if (moving)
    return fail(
      "the orchestrator is in a move between two hosts, and that takes backups itself",
      `finish that move: ${commandsFor(moving.stack ?? "").up}`,
    );
  const [here, ...more] = looks.filter(({ hasDirectory, stage }) => hasDirectory && !leftStages.includes(stage));
  if (here && more.length === 0) return here.host;
  return here
    ? fail("the orchestrator's host is unknown: several have its directory", "start it on the host that signs")
    : fail("there is no orchestrator to back up", "name the stack of the host on which the orchestrator runs");
}
