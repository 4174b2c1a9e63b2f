import type { EventDetails, Fence, LogEvent } from "../../core/eventLog/events.ts";
import type { HostPaths } from "../../core/host/hostPaths.ts";
import { formatShareFile } from "../../core/host/shareFileName.ts";
import type { Entry } from "../../core/orchestrator/backup/manifest.ts";
import { createLeg } from "../../core/orchestrator/rules/generation.ts";
import type { Saga, WhichHost } from "../../core/orchestrator/rules/journal.ts";
import type { GuardMemory } from "../../core/retirement/guardMemory.ts";
import type { HostObservation } from "../../core/retirement/readHost.ts";
import {
  addProvider,
  hasOrchestratorTraces,
  type RetirementFacts,
  type RetirementStep,
} from "../../core/retirement/retirementFacts.ts";
import type { RetirementInputs } from "../../core/retirement/retirementInputs.ts";
import { knowHead, logFaultOf, note } from "./eventLogs.ts";
import type { RetirementEvent } from "./events.ts";
import { diskOf, installed, type ModelHost } from "./host.ts";
import type { Rules } from "./rules.ts";
import {
  Broken,
  fingerprintOf,
  type HostName,
  holds,
  hostNames,
  keepBackup,
  linesOf,
  type Operator,
  pinned,
  shutDownBy,
  timeIn,
  type World,
} from "./state.ts";

/** Reads a host as the guard does. Without the laptop's pinned key the login fails, which counts as a refusing host. */
function lookAt(host: ModelHost, hasLaptop: boolean): HostObservation {
  if (!host.reachable) return { silent: "it does not answer" };
  if (!hasLaptop) return { silent: "it shows another host key", isRefused: true };
  const { journal, running, masked, directory, staging, kept, keyAside } = host;
  const hasDirectory = directory !== undefined;
  const orchestrator = {
    active: running,
    leased: false,
    masked,
    hasDirectory,
    hasKeyStore: hasDirectory && !keyAside,
    lacks: hasDirectory ? [] : ["key share" as const],
    shares: hasDirectory ? [formatShareFile(bridgeKey(directory))] : [],
    sharesBeside: [staging, kept].flatMap((share) => (share ? [besidePath(share)] : [])),
    connections: [{ host: "127.0.0.1", port: 35998 }],
    journal,
    unit: { load: "loaded", active: running ? "active" : "inactive", sub: "", since: "", restarts: 0, result: "" },
  };
  const node = { active: false, masked: true };
  return { facts: { producer: undefined, addresses: [], hasKeyStore: false, node, orchestrator, marks: {} } };
}

/** Returns the shares in the final backup, which a release takes first if the guard can log in. */
function sharesInLastBackup(host: ModelHost, hasLaptop: boolean, rules: Rules): number[] {
  const look = lookAt(host, hasLaptop);
  if (!("facts" in look)) return [];
  const hostPaths = { dataDir: "/root/.znn", orchestrator: { directory } } as HostPaths;
  const paths = rules.chooseLastBackup(hostPaths, look.facts)?.files.paths ?? [];
  const has = (path: string) => paths.includes(path.slice(1));
  const beside = [host.staging, host.kept].filter((share) => share && has(besidePath(share)));
  return [has(directory) ? host.directory : undefined, ...beside].filter((share) => share !== undefined);
}

/** Returns why the host is still needed; undefined if nothing is lost with it. @param sealed shares in its final backup */
function whyNeeded(world: World, host: ModelHost, sealed: readonly number[]): string | undefined {
  const others = hostNames.map((name) => world.hosts[name]).filter((each) => each !== host);
  // An orchestrator unreachable goes down with its host. Replacing it is the purpose, if another one runs.
  const isReplaced = others.some(({ running }) => running) && (host.strange === true || !host.reachable);
  if (host.running && !isReplaced) return "a signer runs there";
  const has = (each: ModelHost) => holds(each, world.generation);
  const isOnly = has(host) && !others.some(has) && world.backup !== world.generation;
  return isOnly && !sealed.includes(world.generation) ? "the newest key share is there alone" : undefined;
}

/** Plays an operator's action on a host to give up. @throws Broken if it is released while still needed */
export function operate(world: World, name: HostName, event: RetirementEvent, rules: Rules, by: Operator): string {
  if (event === "release") return release(world, name, rules);
  const host = world.hosts[name];
  if (event === "back up") {
    if (host.reachable && host.running) noteBackup(world, host, host.directory, "asked");
  } else if (event === "lose backups") {
    Object.assign(world, { backup: 0, backupOf: [], backups: [] });
  } else if (!host.isGone) {
    const line = { at: "", stack: shutDownBy[name], pillar: "Anvil" };
    const details = event === "retire" ? shutDownNow(world, name, rules, by) : { address: host.address };
    if (details)
      note(world, by, { ...line, event: event === "retire" ? "shutDown" : "reactivated", details } as LogEvent);
    // The only runs that change the guard's inputs: the engine skips it in every other one.
    knowHead(world, by, name, rules);
  }
  return "";
}

/** Returns the details of a shutdown's event; undefined if the guard refuses the shutdown. */
function shutDownNow(world: World, name: HostName, rules: Rules, by: Operator): EventDetails["shutDown"] | undefined {
  const look = lookAt(world.hosts[name], true);
  if (!("facts" in look)) return undefined;
  const { unmet } = rules.decideRetirement(factsOf(world, name, "retire", rules, by));
  if (unmet.some(({ loss }) => loss === "the orchestrator")) return undefined;
  return { ...pinned(world.hosts[name]), evidence: [], hasSigner: hasOrchestratorTraces(look.facts) };
}

const timeOf = (world: World) => new Date(timeIn(world)).toISOString();

/** Appends the event of a host that was fenced, or of a fenced host that was seen. */
export function noteFence(world: World, host: ModelHost, by: Operator, how?: Fence["how"]): void {
  const seen = { address: host.address, hostKey: fingerprintOf(host) };
  const line = { at: timeOf(world), move: { project: "pillar-host", stack: "second", pillar: "Anvil", attempt: 1 } };
  const event = how ? ({ event: "fenced", details: { ...seen, how } } as const) : undefined;
  note(world, by, { ...line, ...(event ?? { event: "unfenced", details: seen }) });
}

/** Appends the event of a saga that begins, or starts its target. */
export function noteWay(
  world: World,
  by: Operator,
  event: "begun" | "starting",
  saga: Saga,
  hosts: Readonly<Record<WhichHost, ModelHost>>,
): void {
  const details = createLeg(saga, { old: fingerprintOf(hosts.old), new: fingerprintOf(hosts.new) });
  note(world, by, { at: timeOf(world), move: saga.move, event, details });
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
const besidePath = (share: number) => `/beside/${formatShareFile(bridgeKey(share))}`;
const identity = { producer: "z1q", tssPeerId: "12D", evmAddress: "0x" };

/** Returns the facts that the guard would read. The chain knows the bridge's key and blocks nothing. */
function factsOf(
  world: World,
  name: HostName,
  step: RetirementStep,
  rules: Rules,
  by: Operator = "one",
): RetirementFacts {
  const host = world.hosts[name];
  const { backups = [], hasLaptop } = world;
  const lines = linesOf(world, by);
  const fault = logFaultOf(world, by, name, rules);
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
  const orchestrator = {
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
    backupFaults: [
      ...(fault === undefined ? [] : [fault.found]),
      ...(backups.some((each) => rules.findBackupFault(orchestrator, each) === undefined) ? [] : ["none"]),
    ],
    ...ofSigner,
    noOrchestratorAt:
      fault === undefined ? rules.findShutdownWithoutOrchestrator(lines, shutDownBy[name], pinned(host)) : undefined,
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
  const sealed = sharesInLastBackup(host, world.hasLaptop, rules);
  const why = whyNeeded(world, host, sealed);
  if (why !== undefined) throw new Broken(`the release of host ${name} was allowed, and ${why}`);
  if (sealed.length > 0) noteBackup(world, host, Math.max(...sealed), "retired");
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
