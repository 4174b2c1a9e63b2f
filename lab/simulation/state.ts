import type { LogEvent, MoveEvent } from "../../core/eventLog/events";
import type { Known } from "../../core/orchestrator/rules/generation";
import type { ListedBackup } from "../../core/retirement/backupRule";
import { fingerprintOf } from "../../core/ssh/publicKey";
import { generationsOf, hostText, installed, keyOf, type ModelHost, type Rank, signing, wouldBoot } from "./host";

export type HostName = "a" | "b" | "c";
/** Each has a laptop, with a record of their own. */
export type Operator = "one" | "two";
export const hostNames: readonly HostName[] = ["a", "b", "c"];
/** What is promised was not kept. */
export class Broken extends Error {}

export type Hosts = Readonly<Record<HostName, ModelHost>>;

/** What an operator's record tells of the moves' generations. */
export interface ModelRecord extends Known {
  /** It lacks a start that the other operator's has. */
  readonly isBehind: boolean;
}

/** All that is. */
export interface World {
  readonly hosts: Hosts;
  /** Of the bridge's key. */
  generation: number;
  /** Of the newest share in a sealed backup. */
  backup: number;
  /** The first operator's. */
  hasLaptop: boolean;
  /** What the laptop has of hosts that were shut down, of moves and of backups; not kept where nobody retires a host. */
  lines?: readonly (LogEvent | MoveEvent)[];
  backups?: readonly ListedBackup[];
  /** What each operator's record tells of the moves' generations. */
  records: Readonly<Record<Operator, ModelRecord>>;
  /** Some way of the signer began. */
  hasBegun: boolean;
  /** Something lost a disk, or started or stopped a signer by hand. */
  isHarmed: boolean;
}

export const operators: readonly Operator[] = ["one", "two"];
export const emptyRecord: ModelRecord = { generation: 0, started: 0, isBehind: false };

export function newWorld(): World {
  const hosts = { a: signing("198.51.100.7"), b: installed("203.0.113.9"), c: installed("192.0.2.4") };
  const records = { one: emptyRecord, two: emptyRecord };
  return { hosts, generation: 1, backup: 0, hasLaptop: true, records, hasBegun: false, isHarmed: false, lines: [] };
}

export function copyOf({ hosts: { a, b, c }, ...rest }: World): World {
  return { ...rest, hosts: { a: { ...a }, b: { ...b }, c: { ...c } } };
}

/** A number's place among all of them. */
function rankOf({ hosts, records }: World): Rank {
  const recorded = operators.flatMap((name) => [records[name].generation, records[name].started]);
  const all = [...recorded, ...hostNames.flatMap((name) => generationsOf(hosts[name]))];
  const sorted = [...new Set(all)].filter((each) => each > 0).sort((a, b) => a - b);
  return (generation) => sorted.indexOf(generation) + 1;
}

/** Two worlds with one text have one future. */
export function worldText(world: World): string {
  const { hosts, generation, backup, hasLaptop, isHarmed, records, hasBegun } = world;
  const rank = rankOf(world);
  const recordText = ({ generation, move, started, isBehind }: ModelRecord) =>
    `${rank(generation)} ${move?.stack ?? ""} ${rank(started)} ${isBehind}`;
  const known = `${recordText(records.one)} ${recordText(records.two)} ${hasBegun}`;
  return `${hostNames.map((name) => hostText(hosts[name], rank)).join("\n")}\n${generation} ${backup} ${hasLaptop} ${isHarmed} ${known} ${retirementText(world)}`;
}

/** What a release can tell of the laptop's lines and backups: how often each was written decides nothing. */
function retirementText({ hosts, lines = [], backups = [] }: World): string {
  if (lines.length === 0 && backups.length === 0) return "";
  const shut = hostNames.map((name) => {
    const at = lines.findLastIndex(
      (line) => "stack" in line && line.stack === shutDownBy[name] && line.event === "shutDown",
    );
    const key = fingerprintOf(pinned(hosts[name]).hostKey);
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

/** The stack that shuts a host down, which none of the moves is of. */
export const shutDownBy: Readonly<Record<HostName, string>> = { a: "of a", b: "of b", c: "of c" };

/** A host as a login pins it. */
export function pinned(host: ModelHost) {
  return { address: host.address, hostKey: `ssh-ed25519 ${Buffer.from(keyOf(host)).toString("base64")}` };
}

/** Whether a signer is at work on a host, or is after its next boot. */
export function isAt(host: ModelHost): boolean {
  return host.running || wouldBoot(host);
}

/** Whether the newest share is on one of the disks, or in a backup. */
export function hasNewest({ hosts, generation, backup }: World): boolean {
  return backup === generation || hostNames.some((name) => holds(hosts[name], generation));
}

export function holds({ directory, staging, kept }: ModelHost, share: number): boolean {
  return [directory, staging, kept].includes(share);
}
