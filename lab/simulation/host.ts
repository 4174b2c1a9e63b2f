import type { MoveId } from "../../core/eventLog/moveId";
import type { Journal } from "../../core/orchestrator/rules/journal";

/** Of its ssh server. */
export const keyOf = ({ address, installs = 0 }: ModelHost): string => `${address}#${installs}`;

/** What lies on a host's disk, as far as a move of its signer asks. */
export interface Disk {
  journal?: Journal | undefined;
  enabled: boolean;
  masked: boolean;
  /** The generation of the key share in the signer's directory; undefined where there is none. */
  directory?: number | undefined;
  /** Its key store lies under the fence's name. */
  keyAside: boolean;
  /** Of the share that was copied beside it. */
  staging?: number | undefined;
  /** Of the newest share that was put aside (`.before-…`). */
  kept?: number | undefined;
}

/** A host of the simulation; what the scripts do to it stands in scripts.ts. */
export interface ModelHost extends Disk {
  readonly address: string;
  /** How often it was installed anew: each time it makes itself another key. */
  installs?: number;
  running: boolean;
  reachable: boolean;
  /** As the power's loss would leave it. */
  durable?: Disk | undefined;
  /** An earlier moment, to which somebody may restore it. */
  saved?: Disk | undefined;
  /** Somebody else's doing made it run, or able to, beside another one. */
  strange?: boolean;
  /** Its disk is of an earlier moment, or new: nobody can know what was on it. */
  rewound?: boolean;
  /** It was released: nothing comes back from there. */
  isGone?: boolean;
  /** The run that holds its lock. */
  owner?: string | undefined;
}

/** A host with a signer, and one on which it is installed: masked, not started. */
export const signing = (address: string): ModelHost => ({
  address,
  running: true,
  enabled: true,
  masked: false,
  directory: 1,
  keyAside: false,
  reachable: true,
});
export const installed = (address: string): ModelHost => ({
  address,
  running: false,
  enabled: false,
  masked: true,
  keyAside: false,
  reachable: true,
});

export function diskOf({ journal, enabled, masked, directory, keyAside, staging, kept }: Disk): Disk {
  return { journal, enabled, masked, directory, keyAside, staging, kept };
}

/** What a journaled file system has on its disk once anything was synced: all that came before. */
export function sync(host: ModelHost): void {
  host.durable = diskOf(host);
}

/** Whether a seal was cut off before what had come was moved out of its place; as signer_lies_in_place. */
export function liesInPlace({ journal, directory, staging }: Disk): boolean {
  const [before, last] = journal?.history.slice(-2) ?? [];
  const came = last?.stage === "abandoned" && (before?.stage === "staged" || before?.stage === "switched");
  return came && directory !== undefined && staging === undefined;
}

/** Whether its next boot starts the signer. */
export function wouldBoot({ enabled, masked, directory, keyAside }: Disk): boolean {
  return enabled && !masked && directory !== undefined && !keyAside;
}

export function boot(host: ModelHost): void {
  host.running = wouldBoot(host);
  host.owner = undefined;
}

/** One host out of which a power failure took what was not synced. */
export function cutPower(host: ModelHost): void {
  Object.assign(host, host.durable ?? {});
  boot(host);
}

const brief = new WeakMap<Journal, string>();

/** What decisions can tell of a journal: its history only as a set. */
function journalText(journal: Journal): string {
  const known = brief.get(journal);
  if (known !== undefined) return known;
  const named = (move: MoveId | undefined) => (move ? `${move.stack}/${move.attempt}` : "");
  const past = new Set(journal.history.map(({ move, stage }) => `${named(move)}:${stage}`));
  const text = `${named(journal.move)} ${journal.direction} ${journal.side} ${journal.stage} ${journal.other.address} ${journal.source} ${journal.target} [${[...past].sort()}]`;
  brief.set(journal, text);
  return text;
}

/** How the generations that are told of anywhere follow each other: more decides nothing. */
export type Rank = (generation: number) => number;

export function generationsOf({ journal, durable, saved }: ModelHost): number[] {
  return [journal, durable?.journal, saved?.journal].map((each) => each?.generation ?? 0);
}

function diskText(disk: Disk, rank: Rank): string {
  const { journal, enabled, masked, directory, keyAside, staging, kept } = disk;
  const flags = `${enabled ? "e" : ""}${masked ? "m" : ""}${keyAside ? "a" : ""}`;
  const lies = liesInPlace(disk) ? "lies" : "";
  return `${flags}${lies} ${directory ?? "-"} ${staging ?? "-"} ${kept ?? "-"} ${journal ? `${rank(journal.generation ?? 0)} ${journalText(journal)}` : ""}`;
}

/** Two hosts with one text behave alike for ever. */
export function hostText(host: ModelHost, rank: Rank): string {
  const { running, reachable, strange, rewound, durable, saved } = host;
  const now = diskText(host, rank);
  const then = durable ? diskText(durable, rank) : now;
  if (host.isGone) return "gone";
  const flags = `${running ? "R" : ""}${reachable ? "" : "x"}${strange ? "s" : ""}${rewound ? "w" : ""}`;
  return `${flags} ${now}${then === now ? "" : ` | ${then}`}${saved ? ` < ${diskText(saved, rank)}` : ""}${host.installs ? ` #${host.installs}` : ""}`;
}
