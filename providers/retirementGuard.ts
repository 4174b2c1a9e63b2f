import { createHash } from "node:crypto";
import { openNodeChain } from "../core/chain/chain.ts";
import { findAgeFault } from "../core/chain/reading.ts";
import type { Block } from "../core/chain/sameChain.ts";
import { createCloudServer } from "../core/cloud/power.ts";
import type { StackConfig } from "../core/config/config.ts";
import { type EventLog, openEventLog } from "../core/eventLog/eventLog.ts";
import { findValidEvents } from "../core/eventLog/guardFacts.ts";
import { mergeHeads } from "../core/eventLog/logIntegrity.ts";
import { correctName } from "../core/retirement/correctName.ts";
import type { GuardMemory } from "../core/retirement/guardMemory.ts";
import { overrideVariable } from "../core/retirement/refusalText.ts";
import { releaseHost } from "../core/retirement/releaseOnDestroy.ts";
import {
  createRetirementInputs,
  type RetiredHost,
  type RetirementInputs,
} from "../core/retirement/retirementInputs.ts";
import { systemClock } from "../core/util/clock.ts";
import { commandsFor } from "../core/util/commands.ts";
import { say } from "../core/util/printable.ts";
import { ProblemError } from "../core/util/problem.ts";
import { formatUnattendedRefusal, isUnattended } from "../core/util/unattended.ts";
import { defineResource } from "./runtime/dynamicResource.ts";
import { type HostIdentity, readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Protects a host from deletion (docs/architecture.md, Two guards, one code). create stores facts. update keeps them,
 * and refuses another Pillar's name, unless it corrects one that was never registered. delete asks host, successor and chain, and refuses if anything would be lost.
 * Otherwise it makes the final backup and shuts the host down.
 */
export class RetirementGuard extends defineResource<GuardInputs, GuardOutputs, RetirementInputs>({
  type: "RetirementGuard",
  id: ({ isLast }) => (isLast ? "guard" : "host-guard"),
  prepare: prepareGuard,
  create: (inputs, run) => createGuardState(inputs, run.prepare()),
  update: (olds, news, run) => updateGuardState(olds, news, run.prepare),
  delete: (olds, run) => releaseGuarded(olds, run.prepare),
  secretInputs: ["token"],
  outputs: { createdAt: "plain", isReached: "plain", isOwnWork: "plain", recorded: "plain", logHead: "plain" },
  options: { replaceOnChanges: ["serverId"] },
}) {}

/** The host that a guard was made for, whatever the configuration says later. */
export interface GuardedHost extends HostIdentity, RetiredHost, Pick<RetirementInputs, "pillar" | "lifecycle"> {
  readonly provider: StackConfig["host"]["provider"];
  /** Hash of the cloud's token. Secret. */
  readonly token?: string | undefined;
}

export function hashToken(host: StackConfig["host"]): string | undefined {
  return host.provider === "existing" ? undefined : createHash("sha256").update(host.token).digest("hex");
}

interface GuardInputs extends GuardedHost {
  /** Keeps its value if a run leaves it out. */
  readonly knownProducer?: string | undefined;
  /** True for the guard after all work: the node is synced by then, so a momentum of its chain can be stored. */
  readonly isLast: boolean;
  /** The server's id, if the stack has a server: another server gets another guard. */
  readonly serverId?: string | undefined;
}

interface GuardOutputs extends GuardMemory {
  readonly recorded?: Block | undefined;
  readonly knownProducer?: string | undefined;
}

function prepareGuard(guarded: GuardInputs): RetirementInputs {
  const config = readStackConfig(guarded.stack);
  assertSameHost(guarded, config);
  const server = createCloudServer(config, guarded.serverId);
  return { ...createRetirementInputs(config, guarded), knownProducer: guarded.knownProducer, server };
}

async function createGuardState(guarded: GuardInputs, inputs: RetirementInputs): Promise<GuardOutputs> {
  const { lifecycle, isLast, address, hostKey, provider, serverId } = guarded;
  const log = openGuardLog(inputs);
  const isOwnWork = lifecycle === "active";
  // The guard may be new although its host is not: somebody deleted the guard from the state.
  const isReached = lifecycle !== "retiring" || findValidEvents(await log.read(), guarded.stack, "reached").length > 0;
  if (!isLast && lifecycle !== "retiring") {
    const details = { address, hostKey, provider, isOwnWork, serverId };
    await log.note({ event: "host", details });
  }
  const recorded = await recordMomentum(guarded, inputs);
  return { createdAt: new Date().toISOString(), isReached, isOwnWork, recorded, logHead: await readLogHead(log) };
}

/** Returns the hashes by which the guard knows its log; those of before if it can't be read now. */
async function readLogHead(log: EventLog, before?: string): Promise<string | undefined> {
  return mergeHeads(await log.store.readLines().catch(() => []), before);
}

/** Milliseconds after which a momentum is assumed to be on no fork. */
const momentumAgeMs = 10 * 60_000;

/** Reads and logs a momentum that is about 10 minutes old; undefined if this is not the last guard of a synced node. */
async function recordMomentum({ isLast }: GuardInputs, inputs: RetirementInputs): Promise<Block | undefined> {
  const { node, lifecycle } = inputs;
  if (!isLast || lifecycle === "retiring") return undefined;
  const client = openNodeChain("this host's node", node);
  try {
    const { momentum, clock } = await client.newest();
    if (findAgeFault({ newest: momentum, clock })) return undefined;
    const { height, hash } = (await client.before(momentum.timestamp - momentumAgeMs)) ?? momentum;
    await openGuardLog(inputs).note({ event: "recorded", details: { height, hash } });
    return { height, hash };
  } catch {
    return undefined;
  } finally {
    client.close();
  }
}

function openGuardLog({ backup: { directory }, stack, pillar }: RetirementInputs): EventLog {
  return openEventLog({ directory, stack, pillar }, { ...systemClock, say });
}

/** Updates the guard's state. Corrects a Pillar's name that was never registered, or refuses another one; logs a reactivation, keeps what this run does not know. */
async function updateGuardState(
  olds: GuardInputs & Partial<GuardOutputs>,
  news: GuardInputs,
  prepare: () => RetirementInputs,
): Promise<GuardOutputs> {
  const inputs = prepare();
  const isCorrected = olds.pillar !== news.pillar;
  if (isCorrected) {
    await correctName(
      { inputs, before: olds.pillar, logHead: olds.logHead, provider: news.provider },
      { ...systemClock, say },
    );
    if (!news.isLast)
      say(`pillar-host:pillar.name: corrected from ${olds.pillar} to ${news.pillar}; what is deployed stays`);
  }
  if (olds.createdAt === undefined) return createGuardState(news, inputs);
  // Comes before anything starts on the host, so that the events of its shutdown no longer count.
  if (olds.lifecycle === "retiring" && news.lifecycle !== "retiring" && !news.isLast)
    await openGuardLog(inputs).add({ event: "reactivated", details: { address: news.address } });
  return {
    createdAt: olds.createdAt,
    isReached: olds.isReached === true || news.lifecycle !== "retiring",
    isOwnWork: olds.isOwnWork === true,
    knownProducer: news.knownProducer ?? olds.knownProducer,
    recorded: olds.recorded ?? (await recordMomentum(news, inputs)),
    logHead: await readLogHead(openGuardLog(inputs), isCorrected ? undefined : olds.logHead),
  };
}

/** Checks again with live calls. @throws if anything would be lost */
async function releaseGuarded(olds: GuardInputs & GuardOutputs, prepare: () => RetirementInputs): Promise<void> {
  const { stack, address, recorded, isLast } = olds;
  if (isUnattended(process.env)) throw new Error(formatUnattendedRefusal(`retire ${address}`, "destroy", stack));
  const deps = { ...systemClock, say, override: process.env[overrideVariable] };
  await releaseHost({ ...prepare(), recorded, isLast }, olds, deps);
}

/**
 * Asserts that the configuration, which may be that of an `up` that failed, is of the host that the last successful one
 * left: otherwise host and chain would be asked about another Pillar. @throws Error for the operator
 */
function assertSameHost(guarded: GuardInputs, { stack, pillar, lifecycle, host }: StackConfig): void {
  const given = host.provider === "existing" ? host : { ...host, address: guarded.address };
  const found = [
    ["pillar.name", guarded.pillar, pillar.name],
    ["lifecycle", guarded.lifecycle, lifecycle],
    ["host.provider", guarded.provider, host.provider],
    // With the token of another account the server would seem to be gone.
    ["host.token", "the one of this server", hashToken(host) === guarded.token ? "the one of this server" : "another"],
    ["host.address", guarded.address, given.address],
    ["host.hostKey", guarded.hostKey, given.hostKey ?? guarded.hostKey],
  ].flatMap(([key, before, now]) => (before === now ? [] : [`pillar-host:${key}: ${now}, before ${before}`]));
  if (found.length === 0) return;
  const { up, destroy } = commandsFor(stack);
  throw new ProblemError({
    what: `${guarded.address}: the last up changed the configuration and did not finish; nothing was deleted`,
    found,
    needed: "finish that up, or set the values back and run it",
    next: `${up}, then: ${destroy}`,
  });
}
