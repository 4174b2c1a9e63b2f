import { type ChainView, openChainView } from "../chain/chainView.ts";
import { countNodesOnce } from "../chain/distinctNodes.ts";
import { createOrchestratorClient } from "../chain/orchestrator.ts";
import { isAnswered, listLeftOut } from "../chain/reading.ts";
import { readSharedHeights } from "../chain/sameChain.ts";
import { readLog } from "../eventLog/eventLog.ts";
import { findShutdownWithoutOrchestrator, findValidEvents } from "../eventLog/guardFacts.ts";
import { findLogFault } from "../eventLog/logIntegrity.ts";
import { readBridge } from "../orchestrator/checks/bridgeState.ts";
import { type Connection, createConnection } from "../ssh/connection.ts";
import { openRoot } from "../ssh/root.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import type { Store } from "../store/store.ts";
import { readNodeStatus } from "../sync/nodeStatus.ts";
import type { Teller } from "../util/clock.ts";
import { takeFirstLine } from "../util/printable.ts";
import { resolvePath } from "../util/resolvePath.ts";
import { toResult } from "../util/result.ts";
import { decideRetirement, findUnusedStart } from "./decideRetirement.ts";
import { type GuardMemory, isReached } from "./guardMemory.ts";
import { findOrchestratorIdentity, isOrchestratorThere } from "./lossRules.ts";
import { findOrchestratorBackupFaults } from "./orchestratorBackup.ts";
import { hasProducedBefore, hasProducedSince, readChain } from "./readChain.ts";
import { readHost } from "./readHost.ts";
import { readRewards } from "./readRewards.ts";
import {
  findSuccessorFacts,
  listOwnProducers,
  listSharesBeside,
  type RetirementFacts,
  type RetirementStep,
} from "./retirementFacts.ts";
import type { RetirementInputs } from "./retirementInputs.ts";

export interface SurveyDeps extends Teller {
  /** Returns a shared connection; a new one is made if this is absent. */
  connect?(target: SshTarget): Connection;
}

/** Milliseconds for a successor that is booting, and for the comparison of the nodes' chains. */
const timeoutMs = 20_000;

interface SurveyQuestion {
  readonly step: RetirementStep;
  readonly inputs: RetirementInputs;
  readonly memory: GuardMemory;
  readonly host: RetirementFacts["host"];
  /** Event log and backups. */
  readonly store: Store;
}

/** Reads successor, chain and event log, and decides whether the host may be retired. Changes nothing. */
export async function surveyRetirement(question: SurveyQuestion, deps: SurveyDeps) {
  const { inputs, memory, host, store } = question;
  const judge = (facts: RetirementFacts) => ({ facts, verdict: decideRetirement(facts) });
  const logged = await readLogFacts(inputs, memory, store);
  const { node, successor, references } = inputs;
  const own = "facts" in host && host.facts.node.active ? node : undefined;
  const view = openChainView(node, { own, successor: successor?.node, references }, deps.connect);
  try {
    const facts = await readFacts(question, logged, view, deps);
    // Somebody else may have deployed a node on a server to which this stack never logged in.
    if (!facts.memory.isReached && !("facts" in host))
      return judge({ ...facts, registrationDoubts: await findRegistrationDoubts(facts, inputs.orderedAt) });
    const [producer, since] = [listOwnProducers(facts)[0], findUnusedStart(facts)];
    if (producer === undefined || since === undefined) return judge(facts);
    // An operator may have registered the address, and never run an `up` that would have logged it.
    return judge({ ...facts, hasProduced: await hasProducedSince(facts.readings, producer, Date.parse(since)) });
  } finally {
    view.close();
  }
}

/** Returns why the registered address may be this host's: not if it is the successor's, or older than the order. */
export async function findRegistrationDoubts(
  { readings, successor }: Pick<RetirementFacts, "readings" | "successor">,
  orderedAt: string | undefined,
): Promise<readonly string[]> {
  const good = readings.filter(isAnswered);
  if (good.length === 0) return readings.length === 0 ? ["no node was asked"] : listLeftOut(readings);
  const next = findSuccessorFacts(successor)?.producer;
  const doubts = good.map(async ({ client, pillar }) => {
    const registered = pillar?.producerAddress;
    if (registered === undefined || registered === next) return [];
    if (orderedAt && (await hasProducedBefore(client, registered, Date.parse(orderedAt)))) return [];
    return [`${registered} is registered, and ${client.name} shows no momentum of it from before the server's order`];
  });
  return (await Promise.all(doubts)).flat();
}

async function readLogFacts({ pillar, stack, host }: RetirementInputs, { logHead }: GuardMemory, store: Store) {
  const lines = await readLog(store, pillar);
  const fault = await findLogFault(store, "guard", logHead);
  const registered = findValidEvents(lines, stack, "registered").at(-1);
  const isWholeWithout = fault === undefined && registered === undefined;
  return {
    faults: fault === undefined ? [] : [fault.found],
    producer: registered?.details.producerAddress,
    unregisteredSince: isWholeWithout ? findValidEvents(lines, stack, "location").at(-1)?.at : undefined,
    // A line that the log lacks may be about an orchestrator that came after that shutdown.
    noOrchestratorAt: fault === undefined ? findShutdownWithoutOrchestrator(lines, stack, host.ssh) : undefined,
    identity: findOrchestratorIdentity(lines),
    recorded: findValidEvents(lines, stack, "chain").at(-1)?.details,
  };
}

async function readFacts(
  { step, inputs, memory, host, store }: SurveyQuestion,
  logged: Awaited<ReturnType<typeof readLogFacts>>,
  view: ChainView,
  deps: SurveyDeps,
): Promise<RetirementFacts> {
  const { pillar, stack, knownProducer = logged.producer, recorded = logged.recorded } = inputs;
  const { noOrchestratorAt, unregisteredSince } = logged;
  const successor = await readSuccessor(inputs, deps);
  const next = findSuccessorFacts(successor);
  const newProducer = next?.producer;
  const [oldProducer] = listOwnProducers({ host, knownProducer });
  const chainQuestion = { ...inputs, recorded, oldProducer, newProducer };
  const asked = await view.read((client) => readChain(client, chainQuestion, deps.now()));
  const readings = await readSharedHeights(asked, timeoutMs);
  const { counted: independent } = countNodesOnce(readings, () => true);
  const rewards = readings.filter(isAnswered).flatMap(({ client, pillar: registered }) => {
    if (step === "retire" || newProducer === undefined || registered === null) return [];
    const { withdrawAddress } = registered;
    return readRewards(client, { ...inputs, oldProducer, newProducer, withdrawAddress }, deps.now());
  });
  const isSilent = step === "destroy" && !("facts" in host) && !noOrchestratorAt;
  const ofSilent = isSilent
    ? { bridge: await readBridge(view), identity: logged.identity ?? next?.orchestrator.journal?.identity ?? undefined }
    : undefined;
  const isBeside = step === "destroy" && listSharesBeside(host).length > 0;
  // If the orchestrator works on the successor, any backup will do: the key share there may be newer.
  const bridge = ofSilent && !isOrchestratorThere({ successor, ...ofSilent }) ? ofSilent.bridge : undefined;
  const orchestrator = { ...describeBackedUp(inputs, memory, host), bridge };
  return {
    pillar,
    stack,
    step,
    address: inputs.host.ssh.address,
    host,
    knownProducer,
    successor,
    readings,
    rewards: await Promise.all(rewards),
    isChainKnown:
      recorded !== undefined ||
      inputs.isChainUnverified === true ||
      independent.some(({ role }) => role === "reference"),
    memory: { isReached: isReached(inputs, memory), isOwnWork: memory.isOwnWork },
    unregisteredSince,
    backupFaults: [...logged.faults, ...(await findOrchestratorBackupFaults(store, orchestrator))],
    ...(isBeside ? { bridge: await readBridge(view) } : ofSilent),
    noOrchestratorAt,
  };
}

function describeBackedUp(inputs: RetirementInputs, memory: GuardMemory, host: RetirementFacts["host"]) {
  const { identityFile } = inputs.backup;
  return {
    pillar: inputs.pillar,
    host: inputs.host.ssh,
    directory: inputs.places.orchestrator.directory,
    since: memory.createdAt,
    move: "facts" in host ? host.facts.orchestrator.journal?.move : undefined,
    identityFile: identityFile === undefined ? undefined : resolvePath(identityFile),
  };
}

async function readSuccessor({ successor, library, references, tolerance }: RetirementInputs, deps: SurveyDeps) {
  if (successor === undefined) return undefined;
  const { host, places, node } = successor;
  const connection = (deps.connect ?? createConnection)(host.ssh);
  const root = openRoot(host, library, connection);
  try {
    const [look, status] = await Promise.all([
      readHost(root, places, timeoutMs, deps).catch(({ message }: Error) => ({ silent: takeFirstLine(message) })),
      // The survey itself compares the chains of all nodes.
      readNodeStatus(node, { references, tolerance, isChainUnverified: true }, connection),
    ]);
    const { address, hostKey } = host.ssh;
    const facts = { address, hostKey, look, node: status };
    if (!("facts" in look) || !look.facts.orchestrator.active) return facts;
    const client = createOrchestratorClient(root, places.orchestrator.rpcPort, deps);
    const build = await toResult(client.buildInfo());
    const identity = "value" in build ? await client.identity().catch(() => undefined) : undefined;
    return { ...facts, build, identity };
  } finally {
    root.close();
  }
}
