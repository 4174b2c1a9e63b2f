import { noHost, openChainView } from "../chain/chainView.ts";
import { appendEvent, type LogRef, readEvents, readLog } from "../eventLog/eventLog.ts";
import { findValidEvents } from "../eventLog/guardFacts.ts";
import { findLogFault } from "../eventLog/logIntegrity.ts";
import { createPathVariables } from "../host/hostPaths.ts";
import { askAboutPillar } from "../registration/agreeOnRegistration.ts";
import { markOwn } from "../ssh/foreign.ts";
import { openRoot } from "../ssh/root.ts";
import { formatStackIdentity } from "../steps/stepVariables.ts";
import { openStore } from "../store/openStore.ts";
import { renameStore } from "../store/storeDirectory.ts";
import type { Teller } from "../util/clock.ts";
import { commandsFor } from "../util/commands.ts";
import { ProblemError } from "../util/problem.ts";
import type { GuardMemory } from "./guardMemory.ts";
import { readHost } from "./readHost.ts";
import type { RetirementInputs } from "./retirementInputs.ts";

interface Correction extends Pick<GuardMemory, "logHead"> {
  /** Inputs with the new name. */
  readonly inputs: RetirementInputs;
  readonly before: string;
}

/**
 * Returns why a stack must keep its Pillar's name; undefined if nobody ever registered this host's address with it, by
 * the event log and by the chain. `producer`: this host's address, if it has one.
 */
export async function findNameFault(
  { inputs, before, logHead }: Correction,
  producer: string | undefined,
): Promise<string | undefined> {
  const { stack, node, references, lifecycle, backup } = inputs;
  if (lifecycle === "retiring") return "pillar-host:lifecycle is retiring";
  const store = openStore(renameStore(backup.directory, before), stack);
  const lines = await readLog(store, before);
  const fault = await findLogFault(store, "guard", logHead);
  if (fault !== undefined) return fault.found;
  const [registered] = findValidEvents(lines, stack, "registered");
  if (registered) return `${before} had this host's address at ${registered.at}, says the event log`;
  if (lines.some((line) => "move" in line && line.event !== "backup" && line.move.stack === stack))
    return `a move of the orchestrator of ${before} is in the event log`;
  if (producer === undefined) return undefined;
  const view = openChainView(noHost, { own: node, references });
  const agreement = await askAboutPillar(view, before);
  view.close();
  if (agreement.kind === "unknown") return `no node can say who has the name ${before}: ${agreement.why}`;
  return agreement.pillar?.producerAddress === producer ? `${before} has this host's address on the chain` : undefined;
}

export function createNameRefusal(stack: string, before: string, after: string, fault: string): ProblemError {
  return new ProblemError({
    what: `pillar-host:pillar.name: this stack's host is that of ${before}; nothing was changed`,
    found: [after, fault],
    needed: `set it back: ${commandsFor(stack).setText("pillar.name", before)}`,
    next: `${after} gets a stack of its own: ${commandsFor("NEW").init}`,
  });
}

/** Corrects a name that was never registered: in the host's mark, and in a copy of the event log. @throws if it has to stay */
export async function correctName(correction: Correction & { readonly provider: string }, deps: Teller) {
  const { inputs, before, provider } = correction;
  const { stack, pillar: after, host, library, places, backup } = inputs;
  const refuse = (fault: string) => createNameRefusal(stack, before, after, fault);
  if (provider !== "existing") throw refuse(`the server at ${provider} carries that name in its labels`);
  const root = openRoot(host, library);
  try {
    const seen = await readHost(root, places, 10_000, deps);
    if (!("facts" in seen)) throw refuse(`${root.address} does not answer: ${seen.silent}`);
    const fault = await findNameFault(correction, seen.facts.producer);
    if (fault !== undefined) throw refuse(fault);
    await copyEvents(
      { directory: renameStore(backup.directory, before), stack, pillar: before },
      backup.directory,
      after,
    );
    const [old, fresh] = [formatStackIdentity(stack, before), formatStackIdentity(stack, after)];
    await root.call("correct_mark", markOwn({ ...createPathVariables(places), before: old, after: fresh }));
  } finally {
    root.close();
  }
}

/** Adds a stack's events to the log of another name, unless an earlier run did. */
async function copyEvents(from: LogRef, directory: string, pillar: string): Promise<void> {
  const store = openStore(directory, from.stack);
  const isThere = new Set((await readEvents(store, pillar)).map(({ stack, at, event }) => `${stack} ${at} ${event}`));
  for (const entry of await readEvents(openStore(from.directory, from.stack), from.pillar))
    if (entry.stack === from.stack && !isThere.has(`${entry.stack} ${entry.at} ${entry.event}`))
      await appendEvent(store, { ...entry, pillar });
}
