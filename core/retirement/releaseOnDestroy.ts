import { type CloudServer, isProtected, powerOff, readPower, setProtection } from "../cloud/power.ts";
import { type EventLog, openEventLog } from "../eventLog/eventLog.ts";
import { findValidEvents } from "../eventLog/guardFacts.ts";
import { openRoot } from "../ssh/root.ts";
import { commandsFor } from "../util/commands.ts";
import { takeFirstLine } from "../util/printable.ts";
import { ProblemError } from "../util/problem.ts";
import { withLock } from "../util/withLock.ts";
import { type GuardMemory, isReached } from "./guardMemory.ts";
import { type HostObservation, readHost } from "./readHost.ts";
import { formatOverrideSentence, formatRefusal, overrideVariable } from "./refusalText.ts";
import { addProvider, type RetirementFacts } from "./retirementFacts.ts";
import type { RetirementInputs } from "./retirementInputs.ts";
import { shutDownHost } from "./shutDownHost.ts";
import { type SurveyDeps, surveyRetirement } from "./surveyRetirement.ts";

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
 * and chain anew, takes a final backup, and stops the node for good. May be killed at any point and run again. @throws
 * Error with every unmet condition, and what to type
 */
export async function releaseHost(guard: GuardInputs, memory: GuardMemory, deps: ReleaseDeps): Promise<void> {
  const { stack, pillar, backup } = guard;
  const log = openEventLog({ directory: backup.directory, stack, pillar }, deps);
  await log.read();
  await withLock(log.store.directory, guard, () => releaseUnderLock(guard, memory, log, deps));
}

async function releaseUnderLock(guard: GuardInputs, memory: GuardMemory, log: EventLog, deps: ReleaseDeps) {
  const { server, host: login, stack } = guard;
  const { address } = login.ssh;
  if (server && (await askProvider(guard, server, () => readPower(server, deps))).state === "gone") {
    const run = commandsFor(stack);
    deps.say(
      `retirement: server ${server.id} is not at ${server.provider} any more: nothing is left to guard. If this run ends in an error about that server: ${run.refresh} && ${run.destroy}`,
    );
    return;
  }
  const release = findValidEvents(await log.read(), stack, "released").at(-1);
  const wasReleased = release !== undefined && isSameDestroy(release, guard, memory, deps.now());
  const root = openRoot(login, guard.library);
  try {
    deps.say(`retirement: looking at ${address}, its successor and the chain`);
    const timeoutMs = wasReleased || !isReached(guard, memory) ? 0 : hostTimeoutMs;
    const observation = await readHost(root, guard.places, timeoutMs, deps);
    // Somebody may have started a released host again.
    if (!wasReleased || !isAtRest(observation)) {
      const hostNow = addProvider(observation, server?.provider);
      const { host, evidence, isForced } = await authorizeRelease({ inputs: guard, memory, hostNow, log }, deps);
      const wasProtected = server && (await askProvider(guard, server, () => isProtected(server, deps)));
      if ("facts" in host) await shutDownHost(root, { inputs: guard, facts: host.facts, log, isForced }, deps);
      const details = { evidence, address, serverId: server?.id, wasProtected: wasProtected || undefined };
      await log.add({ event: "released", details });
    }
  } finally {
    root.close();
  }
  if (server && !guard.isLast) await liftProtection(guard, server, deps);
}

/** Lifts the provider's delete protection, which its Pulumi plugin leaves on. @throws in the operator's words */
async function liftProtection(guard: GuardInputs, server: CloudServer, deps: ReleaseDeps): Promise<void> {
  const { id, provider } = server;
  const problem = `is shut down, but server ${id} can't be deleted: ${provider} protects it`;
  if (await askProvider(guard, server, () => setProtection(server, false, deps), problem))
    deps.say(
      `retirement: the delete protection of server ${id} at ${provider} is lifted; if the destroy ends before the server is deleted, the next run sets it again`,
    );
}

/** Asks a provider's API. @throws in the operator's words, which name the token: that of the last up */
async function askProvider<T>(
  { stack, host }: RetirementInputs,
  { id, provider }: CloudServer,
  ask: () => Promise<T>,
  problem = `is not given up: its provider does not answer about server ${id}`,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { up, destroy } = commandsFor(stack);
    throw new ProblemError({
      what: `${host.ssh.address}, the host of stack ${stack}, ${problem}`,
      found: takeFirstLine((error as Error).message),
      needed: `wait until ${provider}'s API answers, or use a token that may read and write (a destroy has the token of the last up)`,
      next: `Then, after a change of the token: ${up} && ${destroy}; else: ${destroy}`,
    });
  }
}

/** True if the stack's other guard released this host in this destroy, or in an interrupted one. */
function isSameDestroy(
  { at, details }: ReturnType<typeof findValidEvents<"released">>[number],
  { server, host: { ssh } }: RetirementInputs,
  { createdAt }: GuardMemory,
  now: number,
): boolean {
  const age = now - Date.parse(at);
  const isRecent = at > createdAt && age >= 0 && age < sameDestroyMs;
  return isRecent && details.address === ssh.address && details.serverId === server?.id;
}

function isAtRest(observation: HostObservation): boolean {
  if ("silent" in observation) return observation.isRefused !== true;
  const { node, orchestrator } = observation.facts;
  return node.masked && !node.active && !orchestrator.active;
}

/** Decides the release; switches off a silent host. */
async function authorizeRelease(
  request: { inputs: RetirementInputs; memory: GuardMemory; hostNow: HostNow; log: EventLog },
  deps: ReleaseDeps,
) {
  const { inputs, memory, hostNow, log } = request;
  const { server } = inputs;
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
  await recordRewards(facts, log);
  if (unmet.length === 0) return { host, evidence, isForced: false };
  const { override } = deps;
  const reasons = unmet.map(({ what }) => what);
  if (override === formatOverrideSentence(facts, unmet)) {
    deps.say(`retirement: continuing although conditions are unmet, as typed: ${override}`);
    await log.add({ event: "override", details: { sentence: override, reasons } });
    // A host that does not answer must not be left running.
    if ("unseen" in host && server) host = await switchOff(server);
    return { host, evidence: [`typed by the operator: ${override}`, ...evidence], isForced: true };
  }
  await log.note({ event: "refused", details: { reasons } });
  const other = override === undefined ? "" : `\n  ${overrideVariable} is set, but not to this sentence.`;
  throw new Error(`${formatRefusal(facts, verdict, override !== undefined)}${other}`);
}

async function recordRewards({ rewards }: RetirementFacts, log: EventLog): Promise<void> {
  const collected = rewards.filter(({ says }) => says === "collected");
  const evidence = collected.map(({ text, source }) => `${text}, says ${source}`);
  if (evidence.length > 0) await log.note({ event: "rewards", details: { evidence } });
}
