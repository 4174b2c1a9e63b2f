import { decideNextStep } from "../../core/journey/decideNextStep.ts";
import type { StackFacts } from "../../core/journey/stackFacts.ts";
import { formatWaysBack } from "../../core/sync/damagedDatabase.ts";
import { createGateSettings } from "../../core/sync/gateSettings.ts";
import type { SyncProgress } from "../../core/sync/progress.ts";
import { type WaitOptions, waitForSync } from "../../core/sync/waitForSync.ts";
import { hasKind } from "../../core/util/problem.ts";
import { hasSyncProof } from "../pulumi/stackState.ts";
import { refusalExitCode } from "../terminal/refusal.ts";
import { type HostReader, openHostReader } from "./hostReader.ts";
import { decideStage, getNodeStatus, listFacts } from "./hostStage.ts";
import { openStack, type StackInfo, type StackWithHost } from "./openStack.ts";
import { readParts } from "./parts/readParts.ts";
import type { StatusParts } from "./parts/statusParts.ts";
import type { ReadStack } from "./stackView.ts";

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

/** Reads node, facts and all parts at once, over one connection. @throws ProblemError */
export async function readStatus(source: StackWithHost, host: HostReader, since?: SyncStart): Promise<ReadStack> {
  const { address, config } = source;
  const [facts, parts, { sync, proof, unreachable }, locks, old] = await Promise.all([
    host.readFacts(),
    readParts(source, host),
    readSync(source, host, since),
    source.readLocks(),
    source.readOld(),
  ]);
  const synced = proof !== undefined;
  const read = unreachable === undefined ? { facts, parts } : { facts: undefined, parts: giveOneReason(parts) };
  const view = {
    ...source.facts,
    address,
    isChainUnverified: config.sync.unverifiedChain !== undefined,
    locks,
    old,
    sync,
    synced,
    ...read,
    waysBack: sync ? formatWaysBack(config, address, getNodeStatus(sync, synced), read.facts?.done?.synced) : [],
  };
  if (unreachable === undefined) {
    // The exit code of a node that is synced and needs no repair is 0.
    const isFine = ["nothing", "step"].includes(decideStage(view).needs);
    return { view, exitCode: isFine ? 0 : 1, proof };
  }
  const { port, user } = config.ssh;
  const what = `${address} could not be reached: ${unreachable}`;
  const needed = `start the host, or fix the connection; try: ssh -p ${port} ${user}@${address}`;
  return { view, exitCode: refusalExitCode, problem: { what, needed } };
}

/** Gives the parts that a silent host leaves unknown one reason. Its ports are left out; answers of other nodes stay. */
export function giveOneReason(parts: StatusParts): StatusParts {
  const reasons = Object.entries(parts).filter(([, part]) => part && "problem" in part);
  const one = reasons.map(([name]) => [name, { problem: "the host does not answer" }]);
  return { ...parts, ...Object.fromEntries(one), ports: undefined };
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
