import { commandsFor } from "../../util/commands";
import type { SideFacts } from "../rules/hostPairFacts";
import { type Journal, parseJournal } from "../rules/journal";

/** A host on which a stack's signer may be, as it was looked at just now. */
export interface OrchestratorSeenOn {
  readonly address: string;
  /** What it told; or why nothing could be had. */
  readonly seen: SideFacts | { readonly unseen: string };
}

/** Where the signer is, or why that can't be said, with what is needed. */
export type OrchestratorNow =
  | { readonly at: number; readonly runs: boolean }
  | { readonly nowhere: string; readonly found: readonly string[]; readonly needed: string };

const resting: readonly string[] = ["inactive", "failed", "unknown", ""];
/** The key has left this host, or is about to leave or to arrive. */
const onTheWay: readonly string[] = ["stopping", "fenced", "staging", "staged", "switched"];
const left: readonly string[] = ["moved", "abandoned"];

/**
 * Tells on which host the signer is now, so that what is backed up is the share that signs.
 *
 * @throws where a host's journal can't be read: nobody may guess what it says
 */
export function orchestratorNow(hosts: readonly OrchestratorSeenOn[]): OrchestratorNow {
  const seen = hosts.map(({ address, seen: facts }, at) => {
    if ("unseen" in facts) return { at, address, unseen: facts.unseen };
    const journal = parseJournal(facts.journal ?? "", address);
    const runs = !resting.includes(facts.active);
    return { at, address, journal, runs, hasDirectory: facts.directory === "there" };
  });
  const running = seen.filter(({ runs }) => runs);
  const [one] = running;
  if (running.length > 1 || (one?.journal && left.includes(one.journal.stage)))
    return {
      nowhere: "an orchestrator runs where by the journals none may: two may sign now",
      found: running.map(({ address, journal }) => `one runs on ${address}${whither(journal)}`),
      needed: "one alone; how to stop the other: docs/orchestrator.md, A second signer",
    };
  if (one) return { at: one.at, runs: true };
  const silent = seen.flatMap(({ address, unseen }) => (unseen === undefined ? [] : [`${address}: ${unseen}`]));
  if (silent.length > 0)
    return {
      nowhere: "where the signer is can't be told: it runs on no host that is in sight",
      found: silent,
      needed: "a look at each host",
    };
  const moving = seen.filter(({ journal }) => journal && onTheWay.includes(journal.stage));
  if (moving[0]?.journal)
    return {
      nowhere: "the signer is on its way between two hosts, and its move takes its own backups",
      found: moving.map(({ address, journal }) => `${address}: the move stands at "${journal?.stage}"`),
      needed: `the end of that move, with which this goes on: ${commandsFor(moving[0].journal.move.stack).up}`,
    };
  const here = seen.filter(({ hasDirectory, journal }) => hasDirectory && !left.includes(journal?.stage ?? ""));
  if (here.length === 1 && here[0]) return { at: here[0].at, runs: false };
  if (here.length > 1)
    return {
      nowhere: "which host has the signer can't be told: none runs it, and several have its directory",
      found: here.map(({ address }) => `it lies on ${address}`),
      needed: "the one that signs, running",
    };
  return {
    nowhere: "there is no signer to back up",
    found: seen.map(({ address, journal }) => `none on ${address}${whither(journal)}`),
    needed: "the stack of the host on which the orchestrator runs",
  };
}

function whither(journal: Journal | undefined): string {
  return journal?.stage === "moved" ? `, from which it went to ${journal.other.address}` : "";
}
