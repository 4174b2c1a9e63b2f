import { isAnswered } from "../chain/reading";
import { commandsFor } from "../util/commands";
import { chain, rightHost, successor } from "./chainRules";
import { rewards, signer } from "./lossRules";
import {
  all,
  hasOrchestratorTraces,
  met,
  not,
  ownProducers,
  type RetirementFacts,
  type RetirementVerdict,
  type Unmet,
} from "./retirementFacts";

/**
 * Decides whether a host may be retired or given up (docs/specification.md, 1.1, step 15; docs/architecture.md,
 * Destruction has one place). Pure. Every condition is judged, and all that stands in the way is told at once.
 */
export function decideRetirement(facts: RetirementFacts): RetirementVerdict {
  const nothing = nothingHere(facts);
  if (nothing) return { unmet: [], evidence: [nothing] };
  const good = facts.readings.filter(isAnswered);
  const neverProduced = isOwnNode(facts) && facts.memory.hasProduced === false && ownProducers(facts).length < 2;
  const rulings = [
    unseen(facts),
    rightHost(facts),
    chain(facts, good),
    ...(neverProduced
      ? [{ unmet: [], evidence: [`${facts.address} has produced nothing since this stack has it`] }]
      : [successor(facts, good), ...(facts.step === "destroy" ? [rewards(facts)] : [])]),
    signer(facts),
  ];
  const { unmet, evidence } = all(rulings);
  return { unmet: merged(unmet), evidence };
}

/** The same condition, told by several who were asked, is one. */
function merged(unmet: readonly Unmet[]): Unmet[] {
  const known = new Map<string, Unmet>();
  for (const each of unmet) {
    const before = known.get(each.what);
    if (before === undefined) known.set(each.what, each);
    else {
      const saidBy = distinct([...(before.saidBy ?? []), ...(each.saidBy ?? [])]);
      known.set(each.what, { ...before, saidBy, found: distinct([...(before.found ?? []), ...(each.found ?? [])]) });
    }
  }
  return [...known.values()];
}

const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** Whether a proof that this host never produced would change anything: it takes minutes to have. */
export function wantsHistory(facts: RetirementFacts, { unmet }: RetirementVerdict): boolean {
  return isOwnNode(facts) && facts.memory.hasProduced === undefined && unmet.some(({ loss }) => loss !== "the signer");
}

/** The stack's steps deployed the node; one that was there before may have produced before. */
function isOwnNode({ host, memory }: RetirementFacts): boolean {
  return memory.isOwnWork && (!("facts" in host) || "deploy.done" in host.facts.marks);
}

/** A host on which nothing can be lost, or that nobody ever reached. */
function nothingHere({ host, memory, address }: RetirementFacts): string | undefined {
  if ("facts" in host) {
    const { facts } = host;
    const hasNode =
      facts.producer !== undefined || facts.hasKeyStore || facts.node.active || "deploy.done" in facts.marks;
    // What somebody else set up may lie where nobody looked.
    if (hasNode || hasOrchestratorTraces(facts) || (memory.isReached && !memory.isOwnWork)) return undefined;
    return `${address} has neither a node nor an orchestrator on it`;
  }
  // One that shows another key, or refuses the login, is alive, whoever put what on it.
  const isAlive = "silent" in host && host.isRefused === true;
  return memory.isReached || isAlive
    ? undefined
    : `this stack never logged in to ${address}: nothing was deployed on it`;
}

function unseen({ host, step, stack, address }: RetirementFacts): RetirementVerdict {
  const run = commandsFor(stack);
  if ("facts" in host) return met();
  if ("released" in host) return met(`${address} was released and shut down at ${host.released}`);
  if ("unseen" in host)
    return met(
      `${address} does not answer (${host.unseen}): ${host.provider} is told to switch it off when all else is met`,
    );
  if ("off" in host) return met(`${address} did not answer, and is switched off: ${host.off}`);
  if (step === "retire") return met();
  if (host.isRefused)
    return not({
      loss: "momentums",
      what: `this host, ${address}, answers, and refuses this program's login: its node may still run`,
      found: [host.silent],
      needed: `a login that it accepts, and its own key (pillar-host:ssh, pillar-host:host), then ${run.up}; where nobody can log in any more: its power switched off first`,
    });
  return not({
    loss: "momentums",
    what: `this host, ${address}, can't be seen: its node may still run`,
    found: [host.silent],
    needed: `a host that answers: start it, or correct pillar-host:host and pillar-host:ssh, then ${run.up}`,
  });
}
