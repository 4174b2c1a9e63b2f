import { type CloudServer, powerOff, powerState } from "../cloud/power";
import { isProtected, setProtection } from "../cloud/protection";
import type { EventLog } from "../eventLog/eventLog";
import type { EventDetails } from "../eventLog/events";
import { standing } from "../eventLog/guardFacts";
import { openRoot, type RootHost } from "../ssh/root";
import { commandsFor } from "../util/commands";
import { withLock } from "../util/withLock";
import { retirementLog } from "./events";
import { type GuardMemory, isReached, type RetirementInputs } from "./guardInputs";
import { type HostFacts, type HostPlaces, lookAtHost } from "./readHost";
import { overrideSentence, overrideVariable, refusalText } from "./refusalText";
import { hostSeen, ownProducer, type RetirementFacts } from "./retirementFacts";
import { shutDown } from "./shutDownHost";
import { type SurveyDeps, surveyRetirement } from "./surveyRetirement";

/** What a release depends on. */
export interface ReleaseDeps extends SurveyDeps {
  /** What the operator typed to go on in spite of all. */
  readonly override: string | undefined;
}

const patience = 30_000;
/** The other guard of this stack looked at everything so shortly before; milliseconds. */
const sameDestroy = 24 * 3_600_000;

/** Of the guard whose deletion it is: the last one of a stack is deleted first. */
type GivenUp = RetirementInputs & { readonly isLast: boolean };

type Released = EventDetails["released"];
type HostNow = RetirementFacts["host"];

/**
 * Lets a host go, or refuses (docs/architecture.md, Destruction has one place). Asks host, successor and chain with
 * live calls; takes a last backup; stops the node so that it stays off. Safe to be killed and run again anywhere.
 *
 * @throws Error with every condition that is not met, and what to type
 */
export async function release(inputs: GivenUp, memory: GuardMemory, deps: ReleaseDeps): Promise<void> {
  const log = retirementLog(inputs, deps);
  await log.read();
  await withLock(log.store.directory, inputs, deps, () => letGo(inputs, memory, log, deps));
}

async function letGo(given: GivenUp, memory: GuardMemory, log: EventLog, deps: ReleaseDeps): Promise<void> {
  const { server, places, host: login } = given;
  if (server && (await atProvider(given, server, () => powerState(server, deps))) === "gone") {
    const run = commandsFor(given.stack);
    deps.say(
      `retirement: server ${server.id} is not at ${server.provider} any more: nothing is left to guard. Should this run end in an error about it: ${run.refresh} && ${run.destroy}`,
    );
    return;
  }
  const before = await releasedBefore(given, memory, log, deps);
  const inputs = {
    ...given,
    knownProducer: given.knownProducer ?? before?.details.producer,
    recorded: given.recorded ?? standing(await log.read(), given.stack, "chain").at(-1)?.details,
  };
  const root = openRoot(login, inputs.library);
  try {
    deps.say(`retirement: looking at ${login.ssh.address}, its successor and the chain`);
    const seen = before
      ? await lookAgain(root, places, before.at, deps)
      : hostSeen(await lookAtHost(root, places, isReached(given, memory) ? patience : 0, deps), server?.provider);
    const { host, evidence, isForced } = await permit(
      { inputs, memory, seen, isSecond: before !== undefined, log },
      deps,
    );
    const isShutDown = "released" in host || (before && "facts" in host && isAtRest(host.facts));
    if (!isShutDown) {
      const wasProtected = server !== undefined && (await atProvider(given, server, () => isProtected(server, deps)));
      if ("facts" in host) await shutDown(root, { inputs, facts: host.facts, log, isForced }, deps);
      const details = { ...releasedOf(inputs, host, evidence), ...(wasProtected ? { wasProtected } : {}) };
      await log.add({ event: "released", details });
    }
    if ("facts" in host && inputs.afterwards === "poweroff")
      await root.call("retire_poweroff", {}).catch((error: Error) => {
        // It may be on its way down.
        if (!before) throw error;
      });
  } finally {
    root.close();
  }
  if (server && !given.isLast) await unprotect(given, server, deps);
}

/**
 * Lifts the provider's own protection, which its plugin does not: as late as it can be, and before the state forgets the
 * guard that knows how to.
 *
 * @throws in words
 */
async function unprotect({ stack, host }: GivenUp, server: CloudServer, deps: ReleaseDeps): Promise<void> {
  const { id, provider } = server;
  const run = commandsFor(stack);
  const isLifted = await setProtection(server, false, deps).catch((error: Error) => {
    throw new Error(
      [
        `${host.ssh.address}, the host of stack ${stack}, is shut down, but server ${id} can't be deleted: ${provider} protects it`,
        `  found: ${error.message}`,
        "  needed: its protection lifted, by a token that may write (a destroy has that of the last up), or in the provider's console",
        `  Then, after a change of the token: ${run.up} && ${run.destroy}; else: ${run.destroy}`,
      ].join("\n"),
    );
  });
  if (isLifted)
    deps.say(
      `retirement: the delete protection of server ${id} at ${provider} is lifted; where the destroy ends before the server does, the next run sets it again`,
    );
}

/** Asks a provider's API. @throws in words: a destroy knows the token of the last up only */
async function atProvider<T>({ stack, host }: RetirementInputs, at: CloudServer, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const run = commandsFor(stack);
    throw new Error(
      [
        `${host.ssh.address}, the host of stack ${stack}, is not given up: its provider can't be asked about server ${at.id}`,
        `  found: ${(error as Error).message}`,
        `  needed: ${at.provider}'s API, and a token that may use it; a destroy has that of the last up`,
        `  Then, after a change of the token: ${run.up} && ${run.destroy}; else: ${run.destroy}`,
      ].join("\n"),
    );
  }
}

/** The other guard's release of the same host, in this destroy or in one that was cut off. */
async function releasedBefore(
  { stack, server, host: { ssh } }: RetirementInputs,
  { createdAt }: GuardMemory,
  log: EventLog,
  deps: ReleaseDeps,
) {
  const found = standing(await log.read(), stack, "released").at(-1);
  if (found === undefined || found.at <= createdAt || deps.now() - Date.parse(found.at) >= sameDestroy)
    return undefined;
  const { address, serverId } = found.details;
  return address === ssh.address && serverId === server?.id ? found : undefined;
}

/** Once more, since somebody may have started it again; a host that was powered off is not waited for. */
async function lookAgain(root: RootHost, places: HostPlaces, at: string, deps: ReleaseDeps): Promise<HostNow> {
  const look = await lookAtHost(root, places, 0, deps).catch((error: Error) => ({ silent: error.message }));
  return "silent" in look ? { released: at } : look;
}

function isAtRest({ node, signer }: HostFacts): boolean {
  return node.masked && !node.active && !signer.active;
}

function releasedOf(inputs: RetirementInputs, host: HostNow, evidence: readonly string[]): Released {
  const { server } = inputs;
  const producer = ownProducer({ host, knownProducer: inputs.knownProducer });
  return {
    evidence,
    address: inputs.host.ssh.address,
    serverId: server?.id,
    producer,
  };
}

/** A host as it was seen, and whether this stack's other guard let it go before. */
interface ReleaseRequest {
  readonly inputs: RetirementInputs;
  readonly memory: GuardMemory;
  readonly seen: HostNow;
  readonly isSecond: boolean;
  readonly log: EventLog;
}

/** Decides the release, and switches a host off first that does not answer. The operator's sentence overrides the verdict. */
async function permit(
  { inputs, memory, seen, isSecond, log }: ReleaseRequest,
  deps: ReleaseDeps,
): Promise<{ host: HostNow; evidence: readonly string[]; isForced: boolean }> {
  const { server, pillar } = inputs;
  const survey = (host: HostNow) => surveyRetirement({ step: "destroy", inputs, memory, host, store: log.store }, deps);
  const switchedOff = async (at: CloudServer) => {
    deps.say(`retirement: ${inputs.host.ssh.address} does not answer; switching it off at ${at.provider}`);
    return { off: `${at.provider} says that it is ${await atProvider(inputs, at, () => powerOff(at, deps))}` };
  };
  let host = seen;
  // What else stands in the way is known before anything is switched off.
  let { facts, verdict } = await survey(host);
  if ("unseen" in host && server && verdict.unmet.length === 0 && isReached(inputs, memory)) {
    host = await switchedOff(server);
    // It may have produced until a moment ago.
    ({ facts, verdict } = await survey(host));
  }
  const { unmet, evidence } = verdict;
  for (const line of evidence) deps.say(`retirement: ${line}`);
  if (!isSecond) await noteRewards(facts, log);
  if (unmet.length === 0) return { host, evidence, isForced: false };
  const reasons = unmet.map(({ what }) => what);
  const sentence = overrideSentence(pillar, unmet);
  // Typed once for both guards, and the other one has met more.
  const typed = standing(await log.read(), inputs.stack, "typed").at(-1);
  const typedBefore = isSecond && typed && typed.at > memory.createdAt ? typed.details.sentence : undefined;
  if (deps.override !== undefined && [sentence, typedBefore].includes(deps.override)) {
    deps.say(`retirement: going on all the same, as typed: ${deps.override}`);
    await log.add({ event: "override", details: { sentence: deps.override, reasons } });
    // What is not seen is at least not left running.
    if ("unseen" in host && server) host = await switchedOff(server);
    return { host, evidence: [`typed by the operator: ${deps.override}`, ...evidence], isForced: true };
  }
  await log.note({ event: "refused", details: { reasons } });
  const other =
    deps.override === undefined ? "" : `\n  ${overrideVariable} is set, and says something else than this sentence.`;
  throw new Error(`${refusalText(facts, verdict)}${other}`);
}

async function noteRewards({ rewards, saysCollected, pillar }: RetirementFacts, log: EventLog): Promise<void> {
  const evidence = rewards.flatMap((reading) =>
    reading.says === "collected" ? [`${reading.evidence}, says ${reading.source}`] : [],
  );
  if (evidence.length > 0) await log.note({ event: "rewards", details: { evidence } });
  else if (saysCollected && rewards.some(({ says }) => says === "notOffered" || says === "paidNothing"))
    await log.note({
      event: "rewards",
      details: { evidence: [`the rewards of ${pillar} were collected`], saidBy: "operator" },
    });
}
