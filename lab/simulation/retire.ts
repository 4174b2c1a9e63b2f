import type { EventDetails, Fence, LogEvent, MoveEvent } from "../../core/eventLog/events";
import { formatShareFile } from "../../core/orchestrator/backup/keyShare";
import type { Entry } from "../../core/orchestrator/backup/manifest";
import { createLeg } from "../../core/orchestrator/rules/generation";
import type { Saga, WhichHost } from "../../core/orchestrator/rules/journal";
import type { RetirementInputs } from "../../core/retirement/guardInputs";
import type { GuardMemory } from "../../core/retirement/guardMemory";
import type { HostObservation } from "../../core/retirement/readHost";
import {
  addProvider,
  hasOrchestratorTraces,
  type RetirementFacts,
  type RetirementStep,
} from "../../core/retirement/retirementFacts";
import { computeFingerprint } from "../../core/ssh/publicKey";
import type { RetirementEvent } from "./events";
import { diskOf, installed, type ModelHost } from "./host";
import type { Rules } from "./rules";
import { Broken, type HostName, holds, hostNames, keepBackup, pinned, shutDownBy, type World } from "./state";

/** Reads a host as the guard does. Without the laptop's pinned key the login fails, which counts as a refusing host. */
function lookAt(host: ModelHost, hasLaptop: boolean): HostObservation {
  if (!host.reachable) return { silent: "it does not answer" };
  if (!hasLaptop) return { silent: "it shows another host key", isRefused: true };
  const { journal, running, masked, directory, staging, kept, keyAside } = host;
  const hasDirectory = directory !== undefined;
  const signer = {
    active: running,
    masked,
    hasDirectory,
    hasKeyStore: hasDirectory && !keyAside,
    lacks: hasDirectory ? [] : ["key share"],
    shares: hasDirectory ? [formatShareFile(bridgeKey(directory))] : [],
    sharesBeside: [staging, kept].flatMap((share) => (share ? [`/beside/${formatShareFile(bridgeKey(share))}`] : [])),
    connections: [{ host: "127.0.0.1", port: 35998 }],
    ...(journal ? { journal } : {}),
  };
  return { facts: { hasKeyStore: false, node: { active: false, masked: true }, signer, marks: {} } };
}

/** Returns why the host is still needed; undefined if nothing is lost with it. */
function whyNeeded(world: World, host: ModelHost): string | undefined {
  const others = hostNames.map((name) => world.hosts[name]).filter((each) => each !== host);
  // An orchestrator unreachable goes down with its host. Replacing it is the purpose, if another one runs.
  const isReplaced = others.some(({ running }) => running) && (host.strange === true || !host.reachable);
  if (host.running && !isReplaced) return "a signer runs there";
  const has = (each: ModelHost) => holds(each, world.generation);
  const isOnly = has(host) && !others.some(has) && world.backup !== world.generation;
  // The release first takes a final backup, if the guard can log in.
  const isSealed = host.reachable && world.hasLaptop;
  return isOnly && !isSealed ? "the newest key share is there alone" : undefined;
}

/** Plays an operator's action on a host to give up. @throws Broken if it is released while still needed */
export function operate(world: World, name: HostName, event: RetirementEvent, rules: Rules): string {
  if (event === "release") return release(world, name, rules);
  const host = world.hosts[name];
  if (event === "back up") {
    if (host.reachable && host.running) noteBackup(world, host, host.directory, "asked");
  } else if (event === "lose backups") {
    Object.assign(world, { backup: 0, backupOf: [], backups: [] });
  } else if (!host.isGone) {
    const line = { at: "", stack: shutDownBy[name], pillar: "Anvil" };
    const details = event === "retire" ? shutDownNow(world, name, rules) : { address: host.address };
    if (details) note(world, { ...line, event: event === "retire" ? "shutDown" : "reactivated", details } as LogEvent);
  }
  return "";
}

/** Returns the details of a shutdown's event; undefined if the guard refuses the shutdown. */
function shutDownNow(world: World, name: HostName, rules: Rules): EventDetails["shutDown"] | undefined {
  const look = lookAt(world.hosts[name], true);
  if (!("facts" in look)) return undefined;
  const { unmet } = rules.decideRetirement(factsOf(world, name, "retire", rules));
  if (unmet.some(({ loss }) => loss === "the orchestrator")) return undefined;
  return { ...pinned(world.hosts[name]), evidence: [], hasSigner: hasOrchestratorTraces(look.facts) };
}

function note(world: World, line: LogEvent | MoveEvent): void {
  if (world.hasLaptop) world.lines = [...(world.lines ?? []), line];
}

const timeOf = ({ clock }: World) => new Date(clock).toISOString();

/** Appends the event of a host's fence. */
export function noteFence(world: World, host: ModelHost, how: Fence["how"]): void {
  const { address, hostKey } = pinned(host);
  const move = { project: "pillar-host", stack: "second", pillar: "Anvil", attempt: 1 };
  const details = { address, hostKey: computeFingerprint(hostKey), how };
  note(world, { at: timeOf(world), move, event: "fenced", details });
}

/** Appends the event of a fenced host that was seen. */
export function noteUnfenced(world: World, host: ModelHost): void {
  const { address, hostKey } = pinned(host);
  const move = { project: "pillar-host", stack: "second", pillar: "Anvil", attempt: 1 };
  note(world, {
    at: timeOf(world),
    move,
    event: "unfenced",
    details: { address, hostKey: computeFingerprint(hostKey) },
  });
}

/** Appends the event of a saga that begins, or starts its target. */
export function noteWay(
  world: World,
  event: "begun" | "starting",
  saga: Saga,
  hosts: Readonly<Record<WhichHost, ModelHost>>,
): void {
  const fingerprint = (side: WhichHost) => computeFingerprint(pinned(hosts[side]).hostKey);
  const details = createLeg(saga, { old: fingerprint("old"), new: fingerprint("new") });
  note(world, { at: timeOf(world), move: saga.move, event, details });
}

/** Adds a proved backup of a host's share. */
export function noteBackup(world: World, host: ModelHost, share: number | undefined, label = "first"): void {
  if (!world.hasLaptop || share === undefined) return;
  keepBackup(world, host, share);
  const { address, hostKey } = pinned(host);
  const files = ["config.json", "producer.moved-to-x", formatShareFile(bridgeKey(share))];
  const entries = files.reverse().map((name) => ({ path: `${directory.slice(1)}/${name}`, size: 1 }) as Entry);
  const move = { project: "pillar-host", stack: "second", pillar: "Anvil", attempt: 1 };
  world.backups = [...(world.backups ?? []), { label, at: "", move, host: address, hostKey, entries }];
}

const directory = "/root/.orchestrator";
/** Returns the bridge's key of a generation, in the chain's form. */
const bridgeKey = (generation: number) => Buffer.alloc(33, generation).toString("base64");
const identity = { producer: "z1q", tssPeerId: "12D", evmAddress: "0x" };

/** Returns the facts that the guard would read. The chain knows the bridge's key and blocks nothing. */
function factsOf(world: World, name: HostName, step: RetirementStep, rules: Rules): RetirementFacts {
  const host = world.hosts[name];
  const { lines = [], backups = [], hasLaptop } = world;
  const next = hostNames
    .map((each) => [each, world.hosts[each]] as const)
    .find(([each, { running }]) => each !== name && running);
  const memory: GuardMemory = { createdAt: "", isReached: hasLaptop, isOwnWork: false };
  const look = lookAt(host, hasLaptop);
  const ofSigner = {
    successor: next && successorOf(next[1]),
    bridge: { known: true, state: 0, key: bridgeKey(world.generation), why: "" } as const,
    identity: lines.some(({ event }) => event === "begun") ? identity : undefined,
  };
  const isNeeded = !("facts" in look) && !rules.isOrchestratorThere(ofSigner);
  const signer = {
    pillar: "Anvil",
    host: pinned(host),
    directory,
    since: "",
    move: "facts" in look ? host.journal?.move : undefined,
    bridge: isNeeded ? ofSigner.bridge : undefined,
  };
  return {
    pillar: "Anvil",
    stack: "prod",
    step,
    address: host.address,
    host: addProvider(look, "hetzner"),
    memory: {
      isReached: rules.isReached({ isOwnServer: hasLaptop } as RetirementInputs, memory),
      isOwnWork: false,
    },
    readings: [],
    rewards: [],
    isChainKnown: true,
    backupFaults: backups.some((each) => rules.findBackupFault(signer, each) === undefined) ? [] : ["none"],
    ...ofSigner,
    noOrchestratorAt: rules.findShutdownWithoutOrchestrator(lines, shutDownBy[name], pinned(host)),
  };
}

/**
 * Releases a host: a cloud server, found by its labels if the laptop is lost. Node and chain block nothing, only the
 * orchestrator does.
 * @throws Broken if it is released while still needed
 */
function release(world: World, name: HostName, rules: Rules): string {
  const host = world.hosts[name];
  const { unmet } = rules.decideRetirement(factsOf(world, name, "destroy", rules));
  const left = unmet.filter(({ loss }) => loss === "the orchestrator");
  if (left.length > 0 || (!world.hasLaptop && unmet.length > 0))
    return `refused: ${unmet.map(({ what }) => what).join("; ")}`;
  const why = whyNeeded(world, host);
  if (why !== undefined) throw new Broken(`the release of host ${name} was allowed, and ${why}`);
  const shares = [host.directory, host.staging, host.kept].filter((share) => share !== undefined);
  if (host.reachable && shares.length > 0) noteBackup(world, host, Math.max(...shares), "retired");
  Object.assign(host, diskOf(installed("")), { durable: undefined, saved: undefined, strange: undefined });
  Object.assign(host, { running: false, reachable: false, isGone: true });
  return "released";
}

function successorOf(host: ModelHost): NonNullable<RetirementFacts["successor"]> {
  return {
    address: host.address,
    hostKey: "",
    look: lookAt(host, true),
    node: { synced: true, known: true, why: "synced" },
    build: { value: { version: "1", gitCommit: "", goVersion: "" } },
    identity: { ...identity, pillarName: "Anvil" },
  };
}
