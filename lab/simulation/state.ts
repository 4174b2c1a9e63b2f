import type { LogEvent, MoveEvent } from "../../core/eventLog/events.ts";
import type { MoveHistory } from "../../core/orchestrator/rules/generation.ts";
import type { ListedBackup } from "../../core/retirement/backupRule.ts";
import { computeFingerprint } from "../../core/ssh/publicKey.ts";
import { installed, keyOf, type ModelHost, signing, wouldBoot } from "./host.ts";
import type { Rules } from "./rules.ts";

export type HostName = "a" | "b" | "c";
/**
 * Stacks in a row: each moves the orchestrator on from the host of the one before, the fourth back to the first host.
 */
export type Stack = "second" | "third" | "fourth";
export const pairs: Record<Stack, { readonly old: HostName; readonly new: HostName }> = {
  second: { old: "a", new: "b" },
  third: { old: "b", new: "c" },
  fourth: { old: "c", new: "a" },
};
export type Line = LogEvent | MoveEvent;
/** Operators, each with a laptop and its own event log. */
export type Operator = "one" | "two";
export const hostNames: readonly HostName[] = ["a", "b", "c"];
/** A broken promise. */
export class Broken extends Error {}

export type Hosts = Readonly<Record<HostName, ModelHost>>;

/** Generations of moves in an operator's event log. */
export interface ModelRecord extends MoveHistory {
  /** True if it lacks the last start, which the other operator's event log has. */
  readonly isBehind: boolean;
  /** Hosts that were switched on within a fence's hour, and that no run with this event log has seen since. */
  readonly unseen: readonly HostName[];
}

/** An operator's confirmations in the configuration of a move. */
export interface Words {
  readonly laterThan?: number;
  readonly isFirst?: boolean;
  readonly lostLine?: string;
}

/** State of everything in the simulation. */
export interface World {
  readonly hosts: Hosts;
  /** Generation of the bridge's key. */
  generation: number;
  /** Generation of the newest share in a sealed backup, and the addresses of the hosts of which such a backup is. */
  backup: number;
  backupOf: readonly string[];
  /** Unix milliseconds, and how far the clock of the operators' machines is ahead; undefined if nobody ever set it. */
  clock: number;
  clockError?: number;
  /** True while the first operator has a laptop. */
  hasLaptop: boolean;
  /** Events about shutdowns and moves in each operator's event log. Searches without need of them leave them out. */
  lines?: Readonly<Record<Operator, readonly Line[]>>;
  /** Hashes of the newest lines that machines and state know. Absent if each operator has a state of its own. */
  heads?: Readonly<Partial<Record<Operator | Stack | HostName, string | undefined>>>;
  /** Confirmations that stay in a stack's configuration on an operator's machine. Absent if each is withdrawn at once. */
  words?: Readonly<Partial<Record<`${Operator} ${Stack}`, Words>>>;
  backups?: readonly ListedBackup[];
  /** Generations of moves in each operator's event log. */
  records: Readonly<Record<Operator, ModelRecord>>;
  /** True once any saga has begun. */
  hasBegun: boolean;
  /** True once a disk was lost, or an orchestrator was started or stopped by hand. */
  isHarmed: boolean;
}

export const operators: readonly Operator[] = ["one", "two"];
export const emptyRecord: ModelRecord = { generation: 0, started: 0, isBehind: false, unseen: [] };

export function newWorld(): World {
  const hosts = { a: signing("198.51.100.7"), b: installed("203.0.113.9"), c: installed("192.0.2.4") };
  const records = { one: emptyRecord, two: emptyRecord };
  const rest = { hasLaptop: true, backupOf: [], records, hasBegun: false, isHarmed: false };
  const lines = { one: [], two: [] };
  return { hosts, generation: 1, backup: 0, clock: Date.UTC(2026, 0, 1), lines, ...rest };
}

export function copyOf({ hosts: { a, b, c }, ...rest }: World): World {
  return { ...rest, hosts: { a: { ...a }, b: { ...b }, c: { ...c } } };
}

/** Keeps a sealed backup of a host's share. */
export function keepBackup(world: World, host: ModelHost, share: number): void {
  if (share < world.backup) return;
  const others = share === world.backup ? world.backupOf : [];
  Object.assign(world, { backup: share, backupOf: [...new Set([...others, host.address])].sort() });
}

export const linesOf = ({ lines }: World, by: Operator): readonly Line[] => lines?.[by] ?? [];

/** Returns the time by the clock of the operators' machines. */
export const timeIn = ({ clock, clockError = 0 }: World): number => clock + clockError;

/** Returns the fence of a host, by an operator's event log. */
export function fenceOf(world: World, host: ModelHost, rules: Rules, by: Operator) {
  const lines = linesOf(world, by);
  if (lines.length === 0) return undefined;
  const moves = lines.filter((line) => "move" in line);
  return rules.findFence(moves, "Anvil", fingerprintOf(host));
}

/** Returns why the fence of a host proves nothing now, or undefined. */
export function fenceFaultOf(world: World, host: ModelHost, rules: Rules, by: Operator): string | undefined {
  const fence = fenceOf(world, host, rules, by);
  return fence === undefined ? "none" : rules.findFenceFault(fence, timeIn(world), host.isOff ? "off" : "running");
}

/** Stacks that shut a host down. No move belongs to them. */
export const shutDownBy: Readonly<Record<HostName, string>> = { a: "of a", b: "of b", c: "of c" };

/** Returns a host's address and key, as a login pins them. */
export function pinned(host: ModelHost) {
  return { address: host.address, hostKey: `ssh-ed25519 ${Buffer.from(keyOf(host)).toString("base64")}` };
}

const fingerprints = new Map<string, string>();

/** Returns the fingerprint of a host's key, computed once: hashing took a third of a search's time. */
export function fingerprintOf(host: ModelHost): string {
  const known = fingerprints.get(keyOf(host)) ?? computeFingerprint(pinned(host).hostKey);
  fingerprints.set(keyOf(host), known);
  return known;
}

/** State of the world when a run began. */
interface Before {
  /** Reachable hosts whose orchestrator ran. */
  readonly plain: readonly ModelHost[];
  readonly hadNewest: boolean;
  /** True if event log and disks are of an earlier moment, and nothing in sight shows a later one. */
  readonly isDeceived: boolean;
  /** Lost host that is on in spite of the operator's word ({@link findUnseenHost}). */
  readonly unseen?: ModelHost | undefined;
}

/** A change of a host, and who made it. */
export interface Change {
  readonly what: string;
  readonly by: "program" | "power" | "others";
  readonly host: ModelHost;
}

/** Checks the promises after a change. @returns the first one broken */
export function broke(world: World, { what, by, host }: Change, before: Before): Broken | undefined {
  const all = hostNames.map((name) => world.hosts[name]);
  const isStart = /^orchestrator_(start|restore) /.test(what);
  // The program cannot know of an orchestrator that someone else started, or brought back with a snapshot.
  if (by === "others") host.strange = isAt(host);
  // A start of one that somebody else's start runs already adds no signer. Where somebody has unmasked the unit, a copy in
  // place starts at the next boot.
  const isOwnStart = (isStart || what.startsWith("orchestrator_arrive ")) && !(host.strange && host.running);
  if (by === "program" && (!isAt(host) || isOwnStart)) host.strange = isAt(host) && before.isDeceived;
  if (isOwnStart && isAt(host) && before.unseen && isAt(before.unseen)) before.unseen.strange = true;
  if (all.filter((each) => isAt(each) && !each.strange).length > 1) return new Broken(`${what}: two may sign now`);
  if (by !== "program") return undefined;
  if (isStart && host.running && before.plain.some((each) => each !== host && each.running))
    return new Broken(`${what}: beside one that runs in plain sight`);
  if (before.hadNewest && !hasNewest(world)) return new Broken(`${what}: the newest key share is lost`);
  return undefined;
}

/** True if an orchestrator runs on a host, or will after its next boot; who boots one that is off answers for that. */
export function isAt(host: ModelHost): boolean {
  return !host.isOff && (host.running || wouldBoot(host));
}

/** True if the newest share is on a disk or in a backup. */
export function hasNewest({ hosts, generation, backup }: World): boolean {
  return backup === generation || hostNames.some((name) => holds(hosts[name], generation));
}

export function holds({ directory, staging, kept }: ModelHost, share: number): boolean {
  return [directory, staging, kept].includes(share);
}
