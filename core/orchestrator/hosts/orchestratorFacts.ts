import { type FactsByName, readHostFacts } from "../../host/facts.ts";
import { createOrchestratorVariables, type OrchestratorPaths } from "../../host/hostPaths.ts";
import type { RootHost } from "../../ssh/root.ts";
import { parseJournal } from "../rules/journal.ts";

/** An orchestrator on a host, and the journal of its move. */
export type OrchestratorState = Awaited<ReturnType<typeof readOrchestratorState>>;

/** @throws if the journal can't be read */
export function addJournal<T extends FactsByName["orchestrator"]>(
  { journalText, ...orchestrator }: T,
  address: string,
) {
  return { ...orchestrator, journal: parseJournal(journalText, address) };
}

export async function readOrchestratorState(root: RootHost, paths: OrchestratorPaths) {
  const { orchestrator } = await readHostFacts(root, ["orchestrator"], createOrchestratorVariables(paths));
  return addJournal(orchestrator, root.address);
}

const neededTools = ["tar", "sha256sum", "find", "xargs", "base64", "perl", "ssh-keyscan"];

/** Reads facts of a host before a move. @param salt with which the host hashes its variables */
export async function readOrchestratorFacts(root: RootHost, paths: OrchestratorPaths, salt: string) {
  const variables = { ...createOrchestratorVariables(paths), tools: neededTools, salt };
  const { move } = await readHostFacts(root, ["move"], variables);
  return addJournal(move, root.address);
}
