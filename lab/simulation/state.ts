import type { LogEvent, MoveEvent } from "../../core/eventLog/events";
import type { MoveHistory } from "../../core/orchestrator/rules/generation";
import type { ListedBackup } from "../../core/retirement/backupRule";
import { computeFingerprint } from "../../core/ssh/publicKey";
import { generationsOf, hostText, installed, keyOf, type ModelHost, type Rank, signing, wouldBoot } from "./host";
import { type Rules, realRules } from "./rules";

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
/** Operators, each with a laptop and its own event log. */
export type Operator = "one" | "two";
export const hostNames: readonly HostName[] = ["a", "b", "c"];
/** A broken promise. */
export class Broken extends Error {}

export type Hosts = Readonly<Record<HostName, ModelHost>>;

/** Generations of moves in an operator's event log. */
export interface ModelRecord extends MoveHistory {
  /** True if it lacks a start that the other operator's event log has. */
  readonly isBehind: boolean;
}

/** State of everything in the simulation. */
export interface World {
  readonly hosts: Hosts;
  /** Generation of the bridge's key. */
  generation: number;
  /** Generation of the newest share in a sealed backup, and the addresses of the hosts of which such a backup is. */
  backup: number;
  backupOf: readonly string[];
  /** Unix milliseconds. */
  clock: number;
  /** True while the first operator has a laptop. */
  hasLaptop: boolean;
  /** Events on the laptop about shutdowns and moves. Searches that give up no host leave them out. */
  lines?: readonly (LogEvent | MoveEvent)[];
  backups?: readonly ListedBackup[];
  /** Generations of moves in each operator's event log. */
  records: Readonly<Record<Operator, ModelRecord>>;
  /** True once any saga has begun. */
  hasBegun: boolean;
  /** True once a disk was lost, or an orchestrator was started or stopped by hand. */
  isHarmed: boolean;
}

export const operators: readonly Operator[] = ["one", "two"];
export const emptyRecord: ModelRecord = { generation: 0, started: 0, isBehind: false };

export function newWorld(): World {
  const hosts = { a: signing("198.51.100.7"), b: installed("203.0.113.9"), c: installed("192.0.2.4") };
  const records = { one: emptyRecord, two: emptyRecord };
  const rest = { hasLaptop: true, backupOf: [], records, hasBegun: false, isHarmed: false, lines: [] };
  return { hosts, generation: 1, backup: 0, clock: Date.UTC(2026, 0, 1), ...rest };
}

export function copyOf({ hosts: { a, b, c }, ...rest }: World): World {
  return { ...rest, hosts: { a: { ...a }, b: { ...b }, c: { ...c } } };
}

/** Returns a function that ranks a generation among all of a world, from 1; 0 is no generation. */
function rankOf({ hosts, records }: World): Rank {
  const recorded = operators.flatMap((name) => [records[name].generation, records[name].started]);
  const all = [...recorded, ...hostNames.flatMap((name) => generationsOf(hosts[name]))];
  const sorted = [...new Set(all)].filter((each) => each > 0).sort((a, b) => a - b);
  return (generation) => sorted.indexOf(generation) + 1;
}

/** Formats a world: two worlds with the same text have the same future. */
export function worldText(world: World): string {
  const { hosts, generation, backup, hasLaptop, isHarmed, records, hasBegun } = world;
  const rank = rankOf(world);
  const recordText = ({ generation, move, started, startedOn, startedFrom, startedBy, isBehind }: ModelRecord) => {
    const open = startedFrom === undefined ? "" : `${startedFrom} ${startedBy?.stack}/${startedBy?.attempt}`;
    return `${rank(generation)} ${move?.stack ?? ""} ${rank(started)} ${startedOn ?? ""} ${open} ${isBehind}`;
  };
  // Once a start is known, it does not matter of which host a backup is.
  const isStarted = operators.every((name) => records[name].started > 0);
  const known = `${recordText(records.one)} ${recordText(records.two)} ${hasBegun} ${isStarted ? "" : world.backupOf}`;
  return `${hostNames.map((name) => hostText(hosts[name], rank)).join("\n")}\n${generation} ${backup} ${hasLaptop} ${isHarmed} ${known} ${fencesText(world)} ${retirementText(world)}`;
}

/** Keeps a sealed backup of a host's share. */
export function keepBackup(world: World, host: ModelHost, share: number): void {
  if (share < world.backup) return;
  const others = share === world.backup ? world.backupOf : [];
  Object.assign(world, { backup: share, backupOf: [...new Set([...others, host.address])].sort() });
}

/** Returns the fence of a host, by the event log. */
export function fenceOf({ lines = [] }: World, host: ModelHost, rules: Rules) {
  const moves = lines.filter((line) => "move" in line);
  return rules.findFence(moves, "Anvil", computeFingerprint(pinned(host).hostKey));
}

/** Returns why the fence of a host proves nothing now, or undefined. */
export function fenceFaultOf(world: World, host: ModelHost, rules: Rules): string | undefined {
  const fence = fenceOf(world, host, rules);
  return fence === undefined ? "none" : rules.findFenceFault(fence, world.clock, host.isOff ? "off" : "running");
}

function fencesText(world: World): string {
  if (!world.lines?.some(({ event }) => event === "fenced")) return "";
  const found = hostNames.map((name) => {
    const fence = fenceOf(world, world.hosts[name], realRules);
    return `${fence?.details.how} ${fenceFaultOf(world, world.hosts[name], realRules) === undefined}`;
  });
  return found.join(",");
}

/**
 * Formats what a release reads of the laptop's events and backups. Repeated ones decide nothing, so each counts once.
 */
function retirementText({ hosts, lines = [], backups = [] }: World): string {
  if (lines.length === 0 && backups.length === 0) return "";
  const shut = hostNames.map((name) => {
    const at = lines.findLastIndex(
      (line) => "stack" in line && line.stack === shutDownBy[name] && line.event === "shutDown",
    );
    const key = computeFingerprint(pinned(hosts[name]).hostKey);
    const later = lines.slice(at + 1).map((line) => {
      if ("stack" in line) return line.stack === shutDownBy[name] ? line.event : "";
      return (
        (line.event === "begun" || line.event === "starting") &&
        [line.details.source, line.details.target].includes(key)
      );
    });
    return at < 0 ? "" : `${JSON.stringify(lines[at]?.details)} ${[...new Set(later)].sort()}`;
  });
  const kept = backups.map(({ hostKey, entries }) => `${hostKey} ${entries?.[0]?.path}`);
  return `${shut} ${lines.some(({ event }) => event === "begun")} ${[...new Set(kept)].sort()}`;
}

/** Stacks that shut a host down. No move belongs to them. */
export const shutDownBy: Readonly<Record<HostName, string>> = { a: "of a", b: "of b", c: "of c" };

/** Returns a host's address and key, as a login pins them. */
export function pinned(host: ModelHost) {
  return { address: host.address, hostKey: `ssh-ed25519 ${Buffer.from(keyOf(host)).toString("base64")}` };
}

/** State of the world when a run began. */
interface Before {
  /** Reachable hosts whose orchestrator ran. */
  readonly plain: readonly ModelHost[];
  readonly hadNewest: boolean;
  /** True if event log and disks are of an earlier moment, and nothing in sight shows a later one. */
  readonly isDeceived: boolean;
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
  const isStart = /^signer_(start|restore) /.test(what);
  // The program cannot know of an orchestrator that someone else started, or brought back with a snapshot.
  if (by === "others") host.strange = isAt(host);
  // A start of one that somebody else's start runs already adds no signer.
  const isOwnStart = isStart && !(host.strange && host.running);
  if (by === "program" && (!isAt(host) || isOwnStart)) host.strange = isAt(host) && before.isDeceived;
  if (all.filter((each) => isAt(each) && !each.strange && !each.isHidden).length > 1)
    return new Broken(`${what}: two may sign now`);
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
