import { isAnswered } from "../chain/reading";
import { commandsFor } from "../util/commands";
import { checkChain, checkPillarOfHost, checkSuccessor } from "./chainRules";
import { checkOrchestrator, checkRewards } from "./lossRules";
import {
  combineVerdicts,
  createMetVerdict,
  createUnmetVerdict,
  hasOrchestratorTraces,
  listOwnProducers,
  type RetirementFacts,
  type RetirementVerdict,
  type Unmet,
} from "./retirementFacts";

/**
 * Decides whether a host may be retired or given up (docs/specification.md, 1.1, step 15; docs/architecture.md,
 * Destruction has one place). Judges every condition, so that a refusal names all.
 */
export function decideRetirement(facts: RetirementFacts): RetirementVerdict {
  const nothingToLose = findNothingToLose(facts);
  if (nothingToLose) return createMetVerdict(nothingToLose);
  const good = facts.readings.filter(isAnswered);
  const neverProduced = isOwnNode(facts) && facts.memory.hasProduced === false && listOwnProducers(facts).length < 2;
  const verdicts = [
    checkSilence(facts),
    checkPillarOfHost(facts),
    checkChain(facts, good),
    ...(neverProduced
      ? [createMetVerdict(`${facts.address} has produced nothing since it joined this stack`)]
      : [checkSuccessor(facts, good), ...(facts.step === "destroy" ? [checkRewards(facts)] : [])]),
    checkOrchestrator(facts),
  ];
  const { unmet, evidence } = combineVerdicts(verdicts);
  return { unmet: mergeSame(unmet), evidence };
}

function mergeSame(unmet: readonly Unmet[]): Unmet[] {
  const merged = new Map<string, Unmet>();
  for (const each of unmet) {
    const before = merged.get(each.what);
    if (before === undefined) merged.set(each.what, each);
    else {
      const saidBy = distinct([...(before.saidBy ?? []), ...(each.saidBy ?? [])]);
      merged.set(each.what, { ...before, saidBy, found: distinct([...(before.found ?? []), ...(each.found ?? [])]) });
    }
  }
  return [...merged.values()];
}

const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** True if a proof that this host never produced could change the verdict. The search for that proof takes minutes. */
export function needsProductionSearch(facts: RetirementFacts, { unmet }: RetirementVerdict): boolean {
  return (
    isOwnNode(facts) && facts.memory.hasProduced === undefined && unmet.some(({ loss }) => loss !== "the orchestrator")
  );
}

/** True if the stack's steps deployed the node. Any other node may have produced before the stack had it. */
function isOwnNode({ host, memory }: RetirementFacts): boolean {
  return memory.isOwnWork && (!("facts" in host) || "deploy.done" in host.facts.marks);
}

/** Returns evidence that nothing on the host can be lost, or undefined. */
function findNothingToLose({ host, memory, address }: RetirementFacts): string | undefined {
  if ("facts" in host) {
    const { facts } = host;
    const hasNode =
      facts.producer !== undefined || facts.hasKeyStore || facts.node.active || "deploy.done" in facts.marks;
    // Before this stack, somebody may have installed an orchestrator in a directory that is not checked.
    if (hasNode || hasOrchestratorTraces(facts) || (memory.isReached && !memory.isOwnWork)) return undefined;
    return `${address} has neither a node nor an orchestrator on it`;
  }
  // A host that shows another key, or refuses the login, is alive.
  const isAlive = "silent" in host && host.isRefused === true;
  return memory.isReached || isAlive
    ? undefined
    : `this stack never logged in to ${address}: nothing was deployed on it`;
}

/** Checks that a silent host's node can't be running. */
function checkSilence({ host, step, stack, address }: RetirementFacts): RetirementVerdict {
  const run = commandsFor(stack);
  if ("facts" in host) return createMetVerdict();
  if ("released" in host) return createMetVerdict(`${address} was released and shut down at ${host.released}`);
  if ("unseen" in host)
    return createMetVerdict(
      `${address} does not answer (${host.unseen}): ${host.provider} will switch it off once all other conditions are met`,
    );
  if ("off" in host) return createMetVerdict(`${address} did not answer, and is switched off: ${host.off}`);
  if (step === "retire") return createMetVerdict();
  if (host.isRefused)
    return createUnmetVerdict({
      loss: "momentums",
      what: `this host, ${address}, answers, and refuses this program's login: its node may still run`,
      found: [host.silent],
      needed: `correct the login (pillar-host:ssh) and the host key (pillar-host:host), then ${run.up}. If nobody can log in any more, switch the host off first`,
    });
  return createUnmetVerdict({
    loss: "momentums",
    what: `this host, ${address}, does not answer: its node may still run`,
    found: [host.silent],
    needed: `start the host, or correct pillar-host:host and pillar-host:ssh, then ${run.up}`,
  });
}
