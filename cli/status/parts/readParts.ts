import { openChainView } from "../../../core/chain/chainView.ts";
import { createOldHost } from "../../../core/chain/configuredNode.ts";
import { readVersionGaps } from "../../../core/chain/nodeVersion.ts";
import { createOrchestratorClient } from "../../../core/chain/orchestrator.ts";
import { readNode } from "../../../core/chain/reading.ts";
import { findUnknownSporks } from "../../../core/chain/sporks.ts";
import { listPortRules, tryPorts } from "../../../core/cloud/portRules.ts";
import type { StackConfig } from "../../../core/config/config.ts";
import { createStackLogRef, openStackStore } from "../../../core/config/stackStore.ts";
import { hasOrchestrator } from "../../../core/eventLog/orchestratorPresence.ts";
import { readOrchestratorState } from "../../../core/orchestrator/hosts/orchestratorFacts.ts";
import { askAboutPillar } from "../../../core/registration/agreeOnRegistration.ts";
import type { Registration } from "../../../core/registration/registration.ts";
import { judgeRegistration, readRegistrationMemory } from "../../../core/registration/registrationLookup.ts";
import { type HostFacts, readHost } from "../../../core/retirement/readHost.ts";
import { formatCoin } from "../../../core/retirement/readRewards.ts";
import { addProvider } from "../../../core/retirement/retirementFacts.ts";
import { createRetirementInputs, listReferences } from "../../../core/retirement/retirementInputs.ts";
import { surveyRetirement } from "../../../core/retirement/surveyRetirement.ts";
import { createConnection, runScript } from "../../../core/ssh/connection.ts";
import { openRoot } from "../../../core/ssh/root.ts";
import { readFactsLibrary } from "../../../core/steps/libraries.ts";
import { hourlyRestartNow } from "../../../core/steps/nodeSteps.ts";
import { createEnvelope } from "../../../core/steps/step.ts";
import { createReceiver } from "../../../core/steps/stepVariables.ts";
import { createWitnessSources } from "../../../core/sync/gateSettings.ts";
import { readNodeStatus } from "../../../core/sync/nodeStatus.ts";
import { systemClock } from "../../../core/util/clock.ts";
import { mapResult, requireValue, takeValue } from "../../../core/util/result.ts";
import type { HostReader } from "../hostReader.ts";
import type { StackWithHost } from "../openStack.ts";
import {
  describeOrchestrator,
  type OrchestratorAnswer,
  type OrchestratorPart,
  readPart,
  type SporksPart,
  type StatusParts,
} from "./statusParts.ts";

const deps = { ...systemClock, say: () => undefined };

const sporksTimeoutMs = 10_000;
const orchestratorTimeoutMs = 20_000;
/** Short, because that host is perhaps gone for good. */
const oldHostTimeoutMs = 10_000;
/** Long, because a survey asks several hosts and nodes, and waits for a successor that does not answer. */
const destroyTimeoutMs = 60_000;

/** The lookups that several parts share, each made once. */
type SharedLookups = ReturnType<typeof startLookups>;

/** Reads all parts at once, each with a timeout, over the host's one connection. Never throws, changes nothing. */
export async function readParts(stack: StackWithHost, host: HostReader): Promise<StatusParts> {
  const { config } = stack;
  const lookups = startLookups(stack, host);
  const isActive = config.lifecycle === "active";
  const survey = isActive ? undefined : readPart(() => readSurvey(lookups), destroyTimeoutMs);
  const isFirewallForeign = config.host.provider === "existing" && config.lifecycle !== "retiring";
  const parts = {
    node: lookups.facts.then((facts) => mapResult(facts, describeNode)),
    registration: readPart(() => readRegistration(lookups)),
    orchestrator: readPart(() => readOrchestrator(lookups)),
    ports: isFirewallForeign ? readPart(() => readPorts(lookups)) : undefined,
    rewards: readPart(() => readRewards(lookups)),
    destroy: survey?.then((result) => mapResult(result, ({ verdict }) => verdict.unmet)),
    hourlyRestart: isActive ? readPart(() => readHourlyRestart(lookups)) : undefined,
    sporks: readPart(() => readSporks(lookups)),
    versions: readPart(() => readMissingVersions(lookups)),
  };
  return awaitAll(parts);
}

async function awaitAll<T extends object>(promises: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const entries = Object.entries(promises).map(async ([key, promise]) => [key, await promise]);
  return Object.fromEntries(await Promise.all(entries));
}

function startLookups(stack: StackWithHost, host: HostReader) {
  const { config } = stack;
  const context = readRetirementContext(stack);
  const { inputs } = context;
  const observation = readPart(() => readHost(host.root, inputs.places, 0, deps));
  const facts = readPart(async () => {
    const answer = requireValue(await observation);
    if ("silent" in answer) throw new Error(answer.silent);
    return answer.facts;
  });
  const node = readPart(() => readNodeStatus(inputs.node, createWitnessSources(config), host.connection));
  const view = facts.then((answer) => {
    const own = "problem" in answer || answer.value.node.active ? inputs.node : undefined;
    const successor = config.lifecycle === "active" ? undefined : inputs.successor?.node;
    return openChainView(inputs.node, { own, successor, references: listReferences(config) }, host.connect);
  });
  const agreement = view.then((nodes) => askAboutPillar(nodes, config.pillar.name));
  return { stack, host, context, observation, facts, node, view, agreement };
}

async function readRegistration({ stack, context, facts, node, agreement }: SharedLookups): Promise<Registration> {
  const { config, state } = stack;
  const [answer, status] = [await facts, requireValue(await node)];
  const ours = ("value" in answer ? answer.value.producer : undefined) ?? context.inputs.knownProducer;
  // If this host's producer address is unknown because the host could not be read, throws that reason.
  if (ours === undefined) requireValue(answer);
  return judgeRegistration({
    ours: ours ?? "",
    agreement: await agreement,
    node: status,
    memory: await readRegistrationMemory(createStackLogRef(config), ours ?? "", state.last.registration?.earlier),
    now: deps.now(),
  });
}

async function readPorts({ stack: { config, state, address }, facts }: SharedLookups) {
  const { node, orchestrator } = requireValue(await facts);
  const running = { node: node.active, orchestrator: orchestrator.active };
  const isOpen = orchestrator.active || (await hasOrchestrator(config, state.last.orchestrator?.side));
  return tryPorts(address, listPortRules(config, isOpen, running));
}

/** Checks what a destroy would check, and changes nothing. */
async function readSurvey({ stack: { config }, host: { connect }, context, observation }: SharedLookups) {
  const looked = await observation;
  const { provider } = config.host;
  const look = "value" in looked ? looked.value : { silent: looked.problem };
  const host = addProvider(look, provider === "existing" ? undefined : provider);
  return surveyRetirement({ step: "destroy", ...context, host }, { ...deps, connect });
}

/** Describes the rewards that are not collected, and the newest paid epoch. */
async function readRewards({ agreement: agreeing }: SharedLookups): Promise<string> {
  const agreement = await agreeing;
  if (agreement.kind === "unknown") throw new Error(agreement.why);
  const [first] = agreement.by;
  if (agreement.pillar === null || first === undefined) throw new Error("nobody registered this Pillar");
  const { rows, uncollected } = await first.client.rewards(agreement.pillar.withdrawAddress);
  const paid = rows[0] === undefined ? "nothing was paid yet" : `paid last: epoch ${rows[0].epoch}`;
  return `${formatCoin(uncollected.znn)} ZNN and ${formatCoin(uncollected.qsr)} QSR are not collected; ${paid}`;
}

async function readMissingVersions({ context, host, node }: SharedLookups) {
  const { currentHeight = 0, targetHeight = 0, known, why } = requireValue(await node);
  if (!known) throw new Error(why);
  return readVersionGaps(host.deps.client, context.inputs.node.versions, Math.max(currentHeight, targetHeight), "all");
}

const describeNode = ({ node, marks }: HostFacts) =>
  marks.retired === undefined ? node : { ...node, wasShutDown: true as const };

/** Reads the orchestrator of a new host's old host: only both journals show a cut-off move. Undefined without an answer. */
export async function readOldOrchestrator(config: StackConfig, connect = createConnection) {
  if (config.oldHost === undefined || config.lifecycle !== "active") return undefined;
  const { host, orchestrator } = createOldHost(config);
  const root = openRoot(host, readFactsLibrary(), connect(host.ssh));
  const reading = readPart(() => readOrchestratorState(root, orchestrator), oldHostTimeoutMs);
  return takeValue(await reading.finally(root.close));
}

async function readOrchestrator({ stack, host, context, facts }: SharedLookups): Promise<OrchestratorPart> {
  const found = requireValue(await facts);
  if (!found.orchestrator.active) {
    // A host that was given up is gone, and its silence would only delay.
    const isGone = (await stack.readOld())?.isReleased === true;
    const old = isGone ? undefined : await readOldOrchestrator(stack.config, host.connect);
    return describeOrchestrator(found, undefined, old);
  }
  const client = createOrchestratorClient(host.root, context.inputs.places.orchestrator.rpcPort, deps);
  const rpc = await readPart(async (): Promise<OrchestratorAnswer> => {
    const { version } = await client.buildInfo();
    const status = await client.status().catch(() => undefined);
    return { version, status };
  }, orchestratorTimeoutMs);
  return describeOrchestrator(found, rpc);
}

async function readHourlyRestart({ stack: { address, config, state }, host }: SharedLookups): Promise<string> {
  const step = hourlyRestartNow(config, state.wait?.syncedAt !== undefined);
  const script = createEnvelope(step, createReceiver(config, address));
  // Longer than the step's own time limit, so that the host ends the step first.
  const lines = await runScript(host.connection, step.name, script, (step.limitSeconds + 30) * 1000);
  return lines.join("\n").trim();
}

/** Reads the node's version, and the sporks from the first node that answers. @throws if none answers */
async function readSporks({ view, host }: SharedLookups): Promise<SporksPart> {
  const version = await host.deps.client.version().catch(() => undefined);
  // Asks the references, too: a node that stopped because it lacks a spork can't answer. Any age will do.
  const { sporks } = await (await view).readInTurn((client) =>
    readNode(client, async () => ({ sporks: await client.sporks() }), sporksTimeoutMs, Number.POSITIVE_INFINITY),
  );
  return { version, unknown: findUnknownSporks(sporks, version) };
}

/** Reads facts about the host from the state. The survey adds those of the event log. */
function readRetirementContext({ config, address, hostKey, state }: StackWithHost) {
  const { guardMemory, guardedProducer, last, isOwnServer = false, orderedAt } = state;
  const knownProducer = last.producerAddress ?? guardedProducer;
  return {
    inputs: { ...createRetirementInputs(config, { address, hostKey, isOwnServer, orderedAt }), knownProducer },
    // Without a guard, a host counts as one that the stack logged in to: missing facts never release a host.
    memory: guardMemory ?? { createdAt: new Date().toISOString(), isReached: true, isOwnWork: false },
    store: openStackStore(config),
  };
}
