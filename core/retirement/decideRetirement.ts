import { isAnswered } from "../chain/reading.ts";
import { commandsFor } from "../util/commands.ts";
import { checkChain, checkSuccessor } from "./chainRules.ts";
import { checkNodeOfOrchestrator, checkOrchestrator, checkRewards, checkSharesBeside } from "./lossRules.ts";
import {
  createCondition,
  hasOrchestratorTraces,
  type Judgements,
  type Loss,
  listOwnProducers,
  listSharesBeside,
  type RetirementFacts,
  type RetirementVerdict,
  type Unmet,
} from "./retirementFacts.ts";

/**
 * Decides whether a host may be retired or given up (docs/specification.md, 1.1, step 15; docs/architecture.md,
 * Destruction has one place). Judges every condition, so that a refusal names all.
 */
export function decideRetirement(facts: RetirementFacts): RetirementVerdict {
  const nothingToLose = findNothingToLose(facts);
  if (nothingToLose) return { unmet: [], evidence: [nothingToLose] };
  const good = facts.readings.filter(isAnswered);
  const neverProduced = facts.hasProduced === false && findUnusedStart(facts) !== undefined;
  const judged: readonly [Loss, Judgements][] = [
    ["momentums", checkNeverReached(facts)],
    ["momentums", checkSilence(facts)],
    ["momentums", checkPillarOfHost(facts)],
    ["momentums", checkChain(facts, good)],
    [
      "momentums",
      neverProduced ? `${facts.address} has produced nothing since its deploy` : checkSuccessor(facts, good),
    ],
    ["rewards", neverProduced || facts.step === "retire" ? [] : checkRewards(facts)],
    ["the orchestrator", checkOrchestrator(facts)],
    ["the orchestrator", checkNodeOfOrchestrator(facts)],
    ["the orchestrator", checkSharesBeside(facts)],
  ];
  const evidence = judged.flatMap(([, each]) => [each].flat().filter((judgement) => typeof judgement === "string"));
  const unmet = judged.flatMap(([loss, each]) =>
    [each].flat().flatMap((judgement) => (typeof judgement === "string" ? [] : [{ ...judgement, loss }])),
  );
  return { unmet: mergeSame(unmet), evidence };
}

/** Merges the conditions that several nodes report. */
function mergeSame(unmet: readonly Unmet[]): Unmet[] {
  const kinds = [...new Set(unmet.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const same = unmet.filter((each) => each.kind === kind);
    const [first] = same;
    if (first === undefined || same.length === 1) return same;
    return {
      ...first,
      saidBy: same.flatMap(({ saidBy = [] }) => saidBy),
      found: [...new Set(same.flatMap(({ found = [] }) => found))],
    };
  });
}

/**
 * Returns when the stack deployed the node (ISO 8601), if the event log, which is older than the node, has no
 * registration of it. A node from before the stack may have produced. Undefined if the chain need not be searched.
 */
export function findUnusedStart(facts: RetirementFacts): string | undefined {
  const { host, memory, unregisteredSince } = facts;
  const deployedAt = "facts" in host ? host.facts.marks["deploy.done"] : undefined;
  if (!memory.isOwnWork || deployedAt === undefined || unregisteredSince === undefined) return undefined;
  return unregisteredSince <= deployedAt && listOwnProducers(facts).length < 2 ? deployedAt : undefined;
}

/** Returns evidence that nothing on the host can be lost, or undefined. */
function findNothingToLose({ host, memory, address, registrationDoubts = [] }: RetirementFacts): string | undefined {
  if ("facts" in host) {
    const { producer, hasKeyStore, node, marks } = host.facts;
    const hasNode = producer !== undefined || hasKeyStore || node.active || "deploy.done" in marks;
    // Before this stack, somebody may have installed an orchestrator in a directory that is not checked.
    const hasShares = listSharesBeside(host).length > 0;
    if (hasNode || hasShares || hasOrchestratorTraces(host.facts) || (memory.isReached && !memory.isOwnWork))
      return undefined;
    return `${address} has neither a node nor an orchestrator on it`;
  }
  // A host that shows another key, or refuses the login, is alive.
  const isAlive = "silent" in host && host.isRefused === true;
  if (memory.isReached || isAlive || registrationDoubts.length > 0) return undefined;
  return `this stack never logged in to ${address}: nothing was deployed on it`;
}

/** Checks that a server that this stack ordered and never logged in to is not the registered one. */
function checkNeverReached({ memory, address, pillar, stack, registrationDoubts = [] }: RetirementFacts): Judgements {
  if (memory.isReached || registrationDoubts.length === 0) return [];
  const { set, up, retire } = commandsFor(stack);
  return createCondition("neverReached", {
    what: `this stack never logged in to ${address}, and the registered address of ${pillar} may be of a node there`,
    found: registrationDoubts,
    needed: `name a node to ask: ${set("retirement.references[0]", "URL")} && ${up}; or the stack of the host that produces today: ${retire("SUCCESSOR")}. Once this is settled, no other condition here counts`,
  });
}

/** Checks that a silent host's node can't be running. */
function checkSilence({ host, step, stack, address }: RetirementFacts): Judgements {
  if ("facts" in host) return [];
  if ("off" in host) return `${address} did not answer, and is switched off: ${host.off}`;
  if ("unseen" in host)
    return `${address} does not answer (${host.unseen}): ${host.provider} will switch it off once all other conditions are met`;
  if (step === "retire") return [];
  const answer = host.isRefused ? "answers, and refuses this program's login" : "does not answer";
  return createCondition(host.isRefused ? "loginRefused" : "silent", {
    what: `this host, ${address}, ${answer}: its node may still run`,
    found: [host.silent],
    needed: `start the host, or correct pillar-host:host and pillar-host:ssh (if nobody can log in any more: switch the host off first), then ${commandsFor(stack).up}`,
  });
}

function checkPillarOfHost({ host, address, pillar }: RetirementFacts): Judgements {
  const identity = "facts" in host ? host.facts.marks.stack : undefined;
  if (identity === undefined || identity.endsWith(` ${pillar}`)) return [];
  return createCondition("otherPillar", {
    what: `this host, ${address}, belongs to another Pillar`,
    found: [`${identity}, in /var/lib/pillar-host/stack there`],
    needed: `set pillar-host:host to the host of ${pillar}`,
  });
}
