import { decideNextStep } from "../../core/journey/decideNextStep.ts";
import type { StackFacts } from "../../core/journey/facts.ts";
import { formatWaysBack } from "../../core/sync/damagedDatabase.ts";
import { createGateSettings } from "../../core/sync/gateSettings.ts";
import type { SyncProgress } from "../../core/sync/progress.ts";
import { type WaitOptions, waitForSync } from "../../core/sync/waitForSync.ts";
import { hasKind } from "../../core/util/problem.ts";
import { hasSyncProof } from "../pulumi/stackState.ts";
import { refusalExitCode } from "../terminal/refusal.ts";
import { type HostReader, openHostReader } from "./hostReader.ts";
import { decideStage, listFacts } from "./hostStage.ts";
import { openStack, type StackInfo, type StackWithHost } from "./openStack.ts";
import { readParts } from "./parts/readParts.ts";
import { createUnknownParts, type StatusParts } from "./parts/statusParts.ts";
import type { ReadStack, StackView } from "./stackView.ts";

/** Reads a stack's host over a new connection. @throws ProblemError */
export async function readStatusOnce(source: StackWithHost): Promise<ReadStack> {
  const host = openHostReader(source);
  try {
    return await readStatus(source, host, getSyncStart(source));
  } finally {
    host.close();
  }
}

/** Reads the facts that decide what is next on a stack. Asks a host that a run may be changing nothing. */
export async function readFacts({ facts, state, address, hostKey, ...source }: StackInfo): Promise<StackFacts> {
  const locks = await source.readLocks();
  const isAtRest = (locks ?? []).every(({ holder }) => holder === "gone");
  if (address === undefined || hostKey === undefined || !state.isBegun || !isAtRest) return { ...facts, locks };
  const reading = { ...source, facts, state, address, hostKey, readLocks: async () => locks };
  return listFacts((await readStatusOnce(reading)).view);
}

/** Prints that no host signs, if a cut-off move left it so, and returns true. Leaves what can't be read to the next command. */
export async function printAlarm(stack: string): Promise<boolean> {
  const facts = await openStack(stack)
    .then(readFacts)
    .catch(() => undefined);
  const decision = facts && decideNextStep(facts);
  const hasNoSigner = decision?.before === "noSigner";
  if (hasNoSigner) console.error(["", ...decision.lines].join("\n"));
  return hasNoSigner;
}

type HostReading = Pick<StackView, "parts"> & Partial<Pick<StackView, "sync" | "synced" | "facts">>;

async function createView(source: StackWithHost, reading: HostReading): Promise<StackView> {
  const { config, address } = source;
  const isChainUnverified = config.sync.unverifiedChain !== undefined;
  const [locks, old] = await Promise.all([source.readLocks(), source.readOld()]);
  // Under another name, because the view's `facts` are those of the host.
  const { facts: known } = source;
  return {
    ...known,
    address,
    isChainUnverified,
    locks,
    old,
    synced: false,
    ...reading,
    waysBack: findWaysBack(source, reading),
  };
}

/** Returns the ways back of a node that was synced, by the host's mark, and is not synced now. */
function findWaysBack({ config, address }: StackWithHost, { sync, synced = false, facts }: HostReading) {
  if (sync === undefined) return [];
  const { observation, why } = sync;
  const node = observation.kind === "answer" ? { known: true, ...observation.info } : { known: false };
  return formatWaysBack(config, address, { synced, reason: why.kind, ...node }, facts?.done?.synced);
}

/** Reads node, facts and all parts at once, over one connection. @throws ProblemError */
export async function readStatus(source: StackWithHost, host: HostReader, since?: SyncStart): Promise<ReadStack> {
  const { address, config } = source;
  // Begins now, because it takes some seconds.
  void source.readOld();
  const [facts, parts, { sync, proof, unreachable }] = await Promise.all([
    host.readFacts(),
    readParts(source, host),
    readSync(source, host, since),
  ]);
  if (unreachable === undefined) {
    const view = await createView(source, { sync, synced: proof !== undefined, facts, parts });
    // The exit code of a node that is synced and needs no repair is 0.
    const isFine = ["nothing", "step"].includes(decideStage(view).needs);
    return { view, exitCode: isFine ? 0 : 1, proof };
  }
  // All parts that need the host get one reason. Answers of other nodes stay.
  const unknown = createUnknownParts(config.lifecycle, "the host does not answer");
  const view = await createView(source, { sync, parts: { ...unknown, ...keepAnswers(parts) } });
  const { port, user } = config.ssh;
  const what = `${address} could not be reached: ${unreachable}`;
  const needed = `start the host, or fix the connection; try: ssh -p ${port} ${user}@${address}`;
  return { view, exitCode: refusalExitCode, problem: { what, needed } };
}

export function keepAnswers(parts: StatusParts): object {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part && "value" in part));
}

/** Returns the start of the wait by the state; undefined if no wait is recorded. */
export function getSyncStart({ state: { wait } }: StackWithHost): SyncStart | undefined {
  return wait && { startedAt: Date.parse(wait.startedAt), startHeight: wait.startHeight };
}

/** The start of the wait (unix milliseconds), and the heights of earlier lookups, from which the rate is computed. */
type SyncStart = Pick<WaitOptions, "startedAt" | "startHeight" | "samples">;

/**
 * Reads the sync like a gate that does not wait: until the proof, or the first lookup that is not good. Once a run has
 * proved this host, `pulumi up` continues after one good lookup, so one is enough here, too. `unreachable`: the reason
 * if the host itself could not be reached.
 */
async function readSync(source: StackWithHost, { deps }: HostReader, since?: SyncStart) {
  let sync: SyncProgress | undefined;
  const seen = (progress: SyncProgress) => {
    sync = progress;
  };
  const { config, address } = source;
  const ssh = { ...config.ssh, address };
  const once = { deadline: Number.POSITIVE_INFINITY, wait: "await", ssh, startedAt: Date.now() } as const;
  const settings = createGateSettings(config);
  const gate = hasSyncProof(source.state, source) ? { ...settings, confirmations: 1, confirmSpan: 0 } : settings;
  try {
    const options = { ...gate, ...once, ...since };
    const proof = await waitForSync(options, { ...deps, seen, say: () => undefined });
    return { sync, proof };
  } catch (error) {
    if (!hasKind(error, "gaveUp", "awaiting")) throw error;
    const last = sync?.observation;
    return { sync, unreachable: last?.kind === "none" && last.unreachable ? last.reason : undefined };
  }
}
