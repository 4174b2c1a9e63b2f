import { commandsFor } from "../../util/commands";
import type { OrchestratorFacts } from "../rules/hostPairFacts";
import { type Journal, parseJournal } from "../rules/journal";

export interface OrchestratorReading {
  readonly address: string;
  /** The host's facts, or why they could not be read. */
  readonly seen: OrchestratorFacts | { readonly unseen: string };
}

/** The orchestrator's host as an index, or why it is unknown. */
type OrchestratorNow =
  | { readonly at: number; readonly runs: boolean }
  | { readonly nowhere: string; readonly found: readonly string[]; readonly needed: string };

const resting: readonly string[] = ["inactive", "failed", "unknown", ""];
/** Stages of a host that the key is leaving or arriving at. */
const movingStages: readonly string[] = ["stopping", "fenced", "staging", "staged", "switched"];
const leftStages: readonly string[] = ["moved", "abandoned"];

/**
 * Finds the host that has the orchestrator now, because only the key share there is worth a backup. @throws for a
 * damaged journal: a guess could back up an outdated share
 */
export function locateOrchestrator(hosts: readonly OrchestratorReading[]): OrchestratorNow {
  const seen = hosts.map(({ address, seen: facts }, at) => {
    if ("unseen" in facts) return { at, address, unseen: facts.unseen };
    const journal = parseJournal(facts.journal ?? "", address);
    const runs = !resting.includes(facts.active);
    return { at, address, journal, runs, hasDirectory: facts.directory === "there" };
  });
  const running = seen.filter(({ runs }) => runs);
  const [one] = running;
  if (running.length > 1 || (one?.journal && leftStages.includes(one.journal.stage)))
    return {
      nowhere: "an orchestrator runs where by the journals none may: two may sign now",
      found: running.map(({ address, journal }) => `one runs on ${address}${describeDestination(journal)}`),
      needed: "stop all but one: docs/orchestrator.md, A second orchestrator",
    };
  if (one) return { at: one.at, runs: true };
  const silent = seen.flatMap(({ address, unseen }) => (unseen === undefined ? [] : [`${address}: ${unseen}`]));
  if (silent.length > 0)
    return {
      nowhere: "the orchestrator's host is unknown: it runs on no reachable host",
      found: silent,
      needed: "make each of these hosts reachable",
    };
  const moving = seen.filter(({ journal }) => journal && movingStages.includes(journal.stage));
  if (moving[0]?.journal)
    return {
      nowhere: "the orchestrator is in a move between two hosts, and that takes backups itself",
      found: moving.map(({ address, journal }) => `${address}: the move is at stage "${journal?.stage}"`),
      needed: `finish that move: ${commandsFor(moving[0].journal.move.stack).up}`,
    };
  const here = seen.filter(({ hasDirectory, journal }) => hasDirectory && !leftStages.includes(journal?.stage ?? ""));
  if (here.length === 1 && here[0]) return { at: here[0].at, runs: false };
  if (here.length > 1)
    return {
      nowhere: "the orchestrator's host is unknown: none runs it, and several have its directory",
      found: here.map(({ address }) => `its directory is on ${address}`),
      needed: "start the orchestrator on the host that signs",
    };
  return {
    nowhere: "there is no orchestrator to back up",
    found: seen.map(({ address, journal }) => `none on ${address}${describeDestination(journal)}`),
    needed: "name the stack of the host on which the orchestrator runs",
  };
}

function describeDestination(journal: Journal | undefined): string {
  return journal?.stage === "moved" ? `, from which it went to ${journal.other.address}` : "";
}
