import { openEventLog } from "../core/eventLog/eventLog.ts";
import { type GuardMemory, isReached } from "../core/retirement/guardMemory.ts";
import { readHost } from "../core/retirement/readHost.ts";
import { formatRefusal } from "../core/retirement/refusalText.ts";
import { hasOrchestratorTraces } from "../core/retirement/retirementFacts.ts";
import { createRetirementInputs, type RetirementInputs } from "../core/retirement/retirementInputs.ts";
import { stopNode } from "../core/retirement/shutDownHost.ts";
import { surveyRetirement } from "../core/retirement/surveyRetirement.ts";
import { isSameHost } from "../core/ssh/publicKey.ts";
import { openRoot } from "../core/ssh/root.ts";
import { systemClock } from "../core/util/clock.ts";
import { say } from "../core/util/printable.ts";
import { formatUnattendedRefusal, isUnattended } from "../core/util/unattended.ts";
import type { GuardedHost } from "./retirementGuard.ts";
import { defineResource, hasChanges } from "./runtime/dynamicResource.ts";
import { readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Stops a retired host's node for good, once chain and successor show that nobody needs it (docs/specification.md, 1.1,
 * step 15). create and update do so, and retry in a later run if the host did not answer. delete does nothing.
 */
export class NodeShutdown extends defineResource<ShutdownInputs, ShutdownOutputs, RetirementInputs>({
  type: "NodeShutdown",
  prepare: (inputs) => createRetirementInputs(readStackConfig(inputs.stack), inputs),
  create: (inputs, run) => shutDown(run.prepare(), inputs.memory),
  update: async (olds, news, run) => (isDone(olds, news) ? { isOff: true } : shutDown(run.prepare(), news.memory)),
  // A run that does not have to connect leaves `run` out, which is no reason for an update.
  changes: (olds, news) => hasChanges(olds, news),
  secretInputs: ["token"],
  outputs: { isOff: "plain" },
}) {}

interface ShutdownInputs extends GuardedHost {
  /** The state of the stack's first guard. Pulumi runs that guard before this resource. */
  readonly memory: GuardMemory;
  /** A new value in each run while the node could not be stopped. */
  readonly run?: string | undefined;
}

type ShutdownOutputs = { readonly isOff: boolean };

const contactTimeoutMs = 20_000;

/** Checks the conditions again, then stops the node for good. Reports a host that does not answer. */
async function shutDown(inputs: RetirementInputs, memory: GuardMemory): Promise<ShutdownOutputs> {
  const { host: login, places, library, stack, pillar, backup } = inputs;
  const { address, hostKey } = login.ssh;
  if (isUnattended(process.env))
    throw new Error(formatUnattendedRefusal(`shut down the node of ${address}`, "up", stack));
  const root = openRoot(login, library);
  try {
    const deps = { ...systemClock, say: (line: string) => say(`retirement: ${line}`) };
    const log = openEventLog({ directory: backup.directory, stack, pillar }, deps);
    const host = await readHost(root, places, isReached(inputs, memory) ? contactTimeoutMs : 0, deps);
    const question = { step: "retire" as const, inputs, memory, host, store: log.store };
    const { facts, verdict } = await surveyRetirement(question, deps);
    if (verdict.unmet.length > 0) throw new Error(formatRefusal(facts, verdict));
    for (const line of verdict.evidence) deps.say(line);
    if ("silent" in host) {
      deps.say(`${address} does not answer (${host.silent}): its node could not be stopped`);
      return { isOff: false };
    }
    await log.add({ event: "shuttingDown", details: { address } });
    await stopNode(root, { places, orchestrator: host.facts.orchestrator }, deps.say);
    deps.say(`the node of ${address} is stopped, disabled and masked: it stays off after a reboot`);
    const details = { address, hostKey, evidence: verdict.evidence, hasSigner: hasOrchestratorTraces(host.facts) };
    await log.add({ event: "shutDown", details });
    return { isOff: true };
  } finally {
    root.close();
  }
}

/** True if an earlier run stopped the node. If a later one found it on, `run` has a value: shut down again. */
function isDone(olds: ShutdownInputs & Partial<ShutdownOutputs>, news: ShutdownInputs): boolean {
  return olds.isOff === true && news.run === undefined && isSameHost(olds, news);
}
