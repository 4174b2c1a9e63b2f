import { type ChainClient, chainOfNode } from "../chain/chain";
import { openReferences, type ReferenceClient } from "../chain/distinct";
import { createOrchestratorClient } from "../chain/orchestrator";
import { isAnswered, silentBy } from "../chain/reading";
import { showToEachOther } from "../chain/sameChain";
import { readLog } from "../eventLog/eventLog";
import { noOrchestratorSince, standing } from "../eventLog/guardFacts";
import { findMissingLine } from "../eventLog/wholeLog";
import { askInTurn } from "../orchestrator/checks/bridgeNow";
import { type Connection, createConnection } from "../ssh/connection";
import { openRoot } from "../ssh/root";
import type { SshTarget } from "../ssh/ssh";
import type { Store } from "../store/store";
import { lookAtNode } from "../sync/nodeStatus";
import { firstLine } from "../util/firstLine";
import { resolvePath } from "../util/resolvePath";
import { decideRetirement, wantsHistory } from "./decideRetirement";
import { type GuardMemory, isReached, type RetirementInputs } from "./guardInputs";
import { orchestratorBackupFaults } from "./orchestratorBackup";
import { hasProducedSince } from "./productionSearch";
import { type ChainReading, readChain } from "./readChain";
import { type LookDeps, lookAtHost } from "./readHost";
import { type RewardsQuestion, type RewardsReading, readRewards } from "./readRewards";
import { ownProducer, type RetirementFacts, type RetirementStep, type RetirementVerdict } from "./retirementFacts";
import { identityIn, isSignerThere } from "./successorOrchestrator";

/** What a survey depends on. */
export interface SurveyDeps extends LookDeps {
  now(): number;
  /** The operator typed that the rewards are collected. */
  readonly saysCollected: boolean;
  /** The way to a host, where others use it too; a new one where it is left out. */
  connect?(target: SshTarget): Connection;
}

/** What was found, and what it comes to. */
export interface RetirementSurvey {
  readonly facts: RetirementFacts;
  readonly verdict: RetirementVerdict;
}

/** A successor that boots is waited for so long; milliseconds. */
const patience = 20_000;
/** For the momentums that nodes are compared by; milliseconds. */
const comparing = 20_000;

/** A survey's step, and what is known before anybody is asked. */
export interface SurveyQuestion {
  readonly step: RetirementStep;
  readonly inputs: RetirementInputs;
  readonly memory: GuardMemory;
  /** The host's own answer. */
  readonly host: RetirementFacts["host"];
  /** Has the event log and the backups. */
  readonly store: Store;
}

/** Asks the host's successor, the chain and the event log, and decides. Changes nothing. */
export async function surveyRetirement(question: SurveyQuestion, deps: SurveyDeps): Promise<RetirementSurvey> {
  const { inputs, memory, host } = question;
  const clients = await clientsOf(inputs, host, deps.connect ?? createConnection);
  try {
    const { facts, isProducingRecorded } = await readFacts(question, clients, deps);
    const verdict = decideRetirement(facts);
    const own = ownProducer(facts);
    if (own === undefined || !wantsHistory(facts, verdict)) return { facts, verdict };
    const hasProduced =
      isProducingRecorded ||
      memory.produced === "seen" ||
      (await hasProducedSince(facts.readings, own, begunAt(memory.createdAt, host)));
    const known = { ...facts, memory: { ...facts.memory, hasProduced } };
    return { facts: known, verdict: decideRetirement(known) };
  } finally {
    for (const { client } of clients) client.close();
  }
}

/** Reads all facts but the host's history, which is asked for only where it decides. */
async function readFacts(question: SurveyQuestion, clients: readonly Asked[], deps: SurveyDeps) {
  const { step, inputs, memory, host, store } = question;
  const { pillar, recorded, epoch, network, knownProducer } = inputs;
  const successor = await lookAtSuccessor(inputs, deps);
  const next = successor && "facts" in successor.look ? successor.look.facts.producer : undefined;
  const own = ownProducer({ host, knownProducer });
  const chainQuestion = { pillar, recorded, own, successor: next, network, epoch };
  const told = await Promise.all(
    clients.map(({ client, fault }) =>
      fault === undefined ? readChain(client, chainQuestion, deps.now()) : { client, fault: silentBy(fault) },
    ),
  );
  const readings = await showToEachOther(told, comparing);
  const rewards =
    step === "destroy" && next !== undefined
      ? await readAllRewards(readings, { pillar, own, successor: next, epoch }, deps.now())
      : [];
  const record = await recordOf(inputs, store);
  const isSilent = step === "destroy" && !("facts" in host || "released" in host) && !record.noSignerAt;
  const asked = clients.flatMap(({ client, fault }) => (fault === undefined ? [client] : []));
  const ofSigner = isSilent ? { successor, ...(await signerOf(successor, record.identity, asked)) } : undefined;
  // A signer that was at work for long has a newer share than any backup of this host.
  const bridge = ofSigner && !isSignerThere(ofSigner) ? ofSigner.bridge : undefined;
  const facts: RetirementFacts = {
    pillar,
    stack: inputs.stack,
    step,
    address: inputs.host.ssh.address,
    host,
    knownProducer,
    successor,
    readings,
    rewards,
    network,
    isChainKnown:
      recorded !== undefined ||
      inputs.isChainUnverified === true ||
      readings.some((reading, at) => clients[at]?.isReference && isAnswered(reading)),
    memory: { isReached: isReached(inputs, memory), isOwnWork: memory.isOwnWork },
    saysCollected: deps.saysCollected,
    backupFaults: [
      ...record.faults,
      ...(await orchestratorBackupFaults(store, { ...backedUp(inputs, memory, host), bridge })),
    ],
    ...ofSigner,
    noSignerAt: record.noSignerAt,
  };
  return { facts, isProducingRecorded: record.producing };
}

/** Unix milliseconds: a guard that was made anew is younger than the node that its stack deployed. */
function begunAt(createdAt: string, host: RetirementFacts["host"]): number {
  const deployed = "facts" in host ? Date.parse(host.facts.marks["deploy.done"] ?? "") : Number.NaN;
  return Math.min(Date.parse(createdAt), Number.isNaN(deployed) ? Number.POSITIVE_INFINITY : deployed);
}

function backedUp(inputs: RetirementInputs, memory: GuardMemory, host: RetirementFacts["host"]) {
  const { identityFile } = inputs.backup;
  return {
    pillar: inputs.pillar,
    host: inputs.host.ssh,
    directory: inputs.places.signer.directory,
    since: memory.createdAt,
    move: "facts" in host ? host.facts.signer.journal?.move : undefined,
    identityFile: identityFile === undefined ? undefined : resolvePath(identityFile),
  };
}

/**
 * Asks the chain for the bridge's key.
 *
 * @param identity of the record; the successor's journal is believed where it has none
 */
export async function signerOf(
  successor: RetirementFacts["successor"],
  identity: RetirementFacts["identity"],
  clients: readonly ChainClient[],
) {
  const journal = successor && "facts" in successor.look ? successor.look.facts.signer.journal : undefined;
  return { bridge: await askInTurn(clients), identity: identity ?? journal?.identity ?? undefined };
}

/** What this machine's record has of a stack's host. */
async function recordOf({ pillar, stack, host }: RetirementInputs, store: Store) {
  const lines = await readLog(store, pillar);
  const missing = await findMissingLine(store);
  return {
    faults: missing === undefined ? [] : [missing],
    producing: standing(lines, stack, "produced").length > 0,
    // Lines that are missing may tell of a signer that came since.
    noSignerAt: missing === undefined ? noOrchestratorSince(lines, stack, host.ssh) : undefined,
    identity: identityIn(lines),
  };
}

interface Asked extends ReferenceClient {
  readonly isReference?: true;
}

async function clientsOf(
  { node, host: { ssh }, successor, references }: RetirementInputs,
  host: RetirementFacts["host"],
  connect: (target: SshTarget) => Connection,
): Promise<readonly Asked[]> {
  const clients: Asked[] = [];
  const excluded = [{ host: ssh.address, what: "this host itself" }];
  if ("facts" in host && host.facts.node.active)
    clients.push({ client: chainOfNode(`this host's node (${ssh.address})`, node, connect(node.ssh)) });
  if (successor) {
    const { address } = successor.host.ssh;
    const name = `the successor's node (${address})`;
    clients.push({ client: chainOfNode(name, successor.node, connect(successor.node.ssh)) });
    excluded.push({ host: address, what: "the successor, which is asked itself" });
  }
  const others = await openReferences(references, excluded);
  return [...clients, ...others.map((each) => ({ ...each, isReference: true as const }))];
}

async function lookAtSuccessor(
  { successor, library, references, tolerance }: RetirementInputs,
  deps: SurveyDeps,
): Promise<RetirementFacts["successor"]> {
  if (successor === undefined) return undefined;
  const { host, places, node } = successor;
  const connection = (deps.connect ?? createConnection)(host.ssh);
  const root = openRoot(host, library, connection);
  try {
    const [look, seen] = await Promise.all([
      lookAtHost(root, places, patience, deps).catch((error: Error) => ({
        silent: firstLine(error.message),
      })),
      // The guard's own rules compare the chains of all who are asked.
      lookAtNode(node, { references, tolerance, isChainUnverified: true }, connection),
    ]);
    const { address, hostKey } = host.ssh;
    const found = { address, hostKey, look, node: seen };
    if (!("facts" in look) || !look.facts.signer.active) return found;
    const { rpcPort } = places.signer;
    const client = createOrchestratorClient(() => root.forward("127.0.0.1", rpcPort), rpcPort, deps);
    const build = await client.buildInfo().then(
      (value) => ({ value }),
      (error: Error) => ({ error: error.message }),
    );
    const identity = "value" in build ? await client.identity().catch(() => undefined) : undefined;
    return { ...found, build, identity };
  } finally {
    root.close();
  }
}

function readAllRewards(
  readings: readonly ChainReading[],
  question: Omit<RewardsQuestion, "withdrawAddress">,
  now: number,
): Promise<RewardsReading[]> {
  const asked = readings.flatMap((reading) => {
    if (!isAnswered(reading) || reading.pillar === null) return [];
    return [readRewards(reading.client, { ...question, withdrawAddress: reading.pillar.withdrawAddress }, now)];
  });
  return Promise.all(asked);
}
