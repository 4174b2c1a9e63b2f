import { type CloudServer, powerOff, readPowerState } from "../cloud/power";
import { isProtected, setProtection } from "../cloud/protection";
import { createLogRef, type EventLog, openEventLog } from "../eventLog/eventLog";
import { findValidEvents } from "../eventLog/guardFacts";
import { openRoot, type RootHost } from "../ssh/root";
import { type Commands, commandsFor } from "../util/commands";
import { takeFirstLine } from "../util/firstLine";
import { formatProblem } from "../util/problem";
import { withLock } from "../util/withLock";
import type { HostPaths, RetirementInputs } from "./guardInputs";
import { type GuardMemory, isReached } from "./guardMemory";
import { type HostFacts, readHost } from "./readHost";
import { formatOverrideSentence, formatRefusal, overrideVariable } from "./refusalText";
import { addProvider, findOwnProducer, type RetirementFacts } from "./retirementFacts";
import { shutDownHost } from "./shutDownHost";
import { type SurveyDeps, surveyRetirement } from "./surveyRetirement";

interface ReleaseDeps extends SurveyDeps {
  /** Sentence by which the operator overrides every condition. */
  readonly override: string | undefined;
}

const hostTimeoutMs = 30_000;
/** Milliseconds for which a release by the stack's other guard counts. */
const sameDestroyMs = 24 * 3_600_000;

/** `isLast`: the later of the stack's two guards. Pulumi deletes it first. */
type GuardInputs = RetirementInputs & { readonly isLast: boolean };

type HostNow = RetirementFacts["host"];

/**
 * Releases a host for its deletion, or refuses (docs/architecture.md, Destruction has one place). Asks host, successor
 * and chain anew, takes a final backup, and stops the node for good. May be killed at any point and run again.
 *
 * @throws Error with every unmet condition, and what to type
 */
export async function releaseHost(inputs: GuardInputs, memory: GuardMemory, deps: ReleaseDeps): Promise<void> {
  const log = openDestroyLog(inputs, deps);
  await log.read();
  await withLock(log.store.directory, inputs, deps, () => releaseUnderLock(inputs, memory, log, deps));
}

function openDestroyLog(inputs: RetirementInputs, deps: ReleaseDeps): EventLog {
  const log = openEventLog(createLogRef(inputs), deps);
  const withCommand = <A extends unknown[], T>(work: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      try {
        return await work(...args);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n  Then: ${commandsFor(inputs.stack).destroy}`);
      }
    };
  };
  return { ...log, read: withCommand(log.read), add: withCommand(log.add) };
}

async function releaseUnderLock(
  guard: GuardInputs,
  memory: GuardMemory,
  log: EventLog,
  deps: ReleaseDeps,
): Promise<void> {
  const { server, places, host: login } = guard;
  if (server && (await askProvider(guard, server, () => readPowerState(server, deps))) === "gone") {
    const run = commandsFor(guard.stack);
    deps.say(
      `retirement: server ${server.id} is not at ${server.provider} any more: nothing is left to guard. If this run ends in an error about that server: ${run.refresh} && ${run.destroy}`,
    );
    return;
  }
  const earlier = await findRecentRelease(guard, memory, log, deps);
  const inputs = {
    ...guard,
    knownProducer: guard.knownProducer ?? earlier?.details.producer,
    recorded: guard.recorded ?? findValidEvents(await log.read(), guard.stack, "chain").at(-1)?.details,
  };
  const root = openRoot(login, inputs.library);
  try {
    deps.say(`retirement: looking at ${login.ssh.address}, its successor and the chain`);
    const hostNow = earlier
      ? await readAgain(root, places, earlier.at, deps)
      : addProvider(await readHost(root, places, isReached(guard, memory) ? hostTimeoutMs : 0, deps), server?.provider);
    const { host, evidence, isForced } = await authorizeRelease(
      { inputs, memory, hostNow, isSecond: earlier !== undefined, log },
      deps,
    );
    const isShutDown = "released" in host || (earlier && "facts" in host && isAtRest(host.facts));
    if (!isShutDown) {
      const wasProtected = server !== undefined && (await askProvider(guard, server, () => isProtected(server, deps)));
      if ("facts" in host) await shutDownHost(root, { inputs, facts: host.facts, log, isForced }, deps);
      const details = {
        evidence,
        address: login.ssh.address,
        serverId: server?.id,
        producer: findOwnProducer({ host, knownProducer: inputs.knownProducer }),
        wasProtected: wasProtected || undefined,
      };
      await log.add({ event: "released", details });
    }
  } finally {
    root.close();
  }
  if (server && !guard.isLast) await liftProtection(guard, server, deps);
}

/** Lifts the provider's delete protection, which its Pulumi plugin leaves on. @throws in the operator's words */
async function liftProtection({ stack, host }: GuardInputs, server: CloudServer, deps: ReleaseDeps): Promise<void> {
  const { id, provider } = server;
  const run = commandsFor(stack);
  const isLifted = await setProtection(server, false, deps).catch((error: Error) => {
    throw new Error(
      formatProblem({
        what: `${host.ssh.address}, the host of stack ${stack}, is shut down, but server ${id} can't be deleted: ${provider} protects it`,
        found: takeFirstLine(error.message),
        needed:
          "lift the protection in the provider's console, or use a token that may write (a destroy has the token of the last up)",
        next: afterTokenChange(run),
      }),
    );
  });
  if (isLifted)
    deps.say(
      `retirement: the delete protection of server ${id} at ${provider} is lifted; if the destroy ends before the server is deleted, the next run sets it again`,
    );
}

function afterTokenChange({ up, destroy }: Commands): string {
  return `Then, after a change of the token: ${up} && ${destroy}; else: ${destroy}`;
}

/** Asks a provider's API. @throws in the operator's words, which name the token: that of the last up */
async function askProvider<T>({ stack, host }: RetirementInputs, at: CloudServer, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const run = commandsFor(stack);
    throw new Error(
      formatProblem({
        what: `${host.ssh.address}, the host of stack ${stack}, is not given up: its provider does not answer about server ${at.id}`,
        found: takeFirstLine((error as Error).message),
        needed: `wait until ${at.provider}'s API answers, or use a token that it accepts (a destroy has the token of the last up)`,
        next: afterTokenChange(run),
      }),
    );
  }
}

/** Finds the other guard's release of the host, in this destroy or an interrupted one. */
async function findRecentRelease(
  { stack, server, host: { ssh } }: RetirementInputs,
  { createdAt }: GuardMemory,
  log: EventLog,
  deps: ReleaseDeps,
) {
  const release = findValidEvents(await log.read(), stack, "released").at(-1);
  if (release === undefined || release.at <= createdAt || deps.now() - Date.parse(release.at) >= sameDestroyMs)
    return undefined;
  const { address, serverId } = release.details;
  return address === ssh.address && serverId === server?.id ? release : undefined;
}

/** Reads a released host again, as somebody may have started it. Tries once, as the host may be powered off. */
async function readAgain(root: RootHost, places: HostPaths, at: string, deps: ReleaseDeps): Promise<HostNow> {
  const look = await readHost(root, places, 0, deps).catch((error: Error) => ({ silent: error.message }));
  return "silent" in look ? { released: at } : look;
}

function isAtRest({ node, signer }: HostFacts): boolean {
  return node.masked && !node.active && !signer.active;
}

interface ReleaseRequest {
  readonly inputs: RetirementInputs;
  readonly memory: GuardMemory;
  readonly hostNow: HostNow;
  /** True if the stack's other guard has released the host. */
  readonly isSecond: boolean;
  readonly log: EventLog;
}

/** Decides the release; switches off a silent host. The operator's sentence overrides the verdict. */
async function authorizeRelease(
  { inputs, memory, hostNow, isSecond, log }: ReleaseRequest,
  deps: ReleaseDeps,
): Promise<{ host: HostNow; evidence: readonly string[]; isForced: boolean }> {
  const { server, pillar } = inputs;
  const survey = (host: HostNow) => surveyRetirement({ step: "destroy", inputs, memory, host, store: log.store }, deps);
  const switchOff = async (at: CloudServer) => {
    deps.say(`retirement: ${inputs.host.ssh.address} does not answer; switching it off at ${at.provider}`);
    return { off: `${at.provider} says that it is ${await askProvider(inputs, at, () => powerOff(at, deps))}` };
  };
  let host = hostNow;
  // Switch nothing off before all other conditions are met.
  let { facts, verdict } = await survey(host);
  if ("unseen" in host && server && verdict.unmet.length === 0 && isReached(inputs, memory)) {
    host = await switchOff(server);
    // Ask the chain again: the host may have produced until now.
    ({ facts, verdict } = await survey(host));
  }
  const { unmet, evidence } = verdict;
  for (const line of evidence) deps.say(`retirement: ${line}`);
  if (!isSecond) await recordRewards(facts, log);
  if (unmet.length === 0) return { host, evidence, isForced: false };
  const reasons = unmet.map(({ what }) => what);
  const sentence = formatOverrideSentence(pillar, unmet);
  // The second guard accepts the sentence of the first, even if other conditions are unmet now.
  const typed = findValidEvents(await log.read(), inputs.stack, "typed").at(-1);
  const typedBefore = isSecond && typed && typed.at > memory.createdAt ? typed.details.sentence : undefined;
  if (deps.override !== undefined && [sentence, typedBefore].includes(deps.override)) {
    deps.say(`retirement: continuing although conditions are unmet, as typed: ${deps.override}`);
    await log.add({ event: "override", details: { sentence: deps.override, reasons } });
    // A host that does not answer must not be left running.
    if ("unseen" in host && server) host = await switchOff(server);
    return { host, evidence: [`typed by the operator: ${deps.override}`, ...evidence], isForced: true };
  }
  await log.note({ event: "refused", details: { reasons } });
  const other = deps.override === undefined ? "" : `\n  ${overrideVariable} is set, but not to this sentence.`;
  throw new Error(`${formatRefusal(facts, verdict)}${other}`);
}

async function recordRewards({ rewards, saysCollected, pillar }: RetirementFacts, log: EventLog): Promise<void> {
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
