import type { MoveId } from "../../core/eventLog/moveId.ts";
import type { Journal } from "../../core/orchestrator/rules/journal.ts";
import { mayLieInPlace } from "../../core/orchestrator/rules/nextJournal.ts";

/** Returns a stand-in for the host's SSH key: a reinstallation makes another one. */
export const keyOf = ({ address, installs = 0 }: ModelHost): string => `${address}#${installs}`;

/** State of a host's disk, as far as a move of its orchestrator reads it. */
export interface Disk {
  journal?: Journal | undefined;
  enabled: boolean;
  masked: boolean;
  /** Generation of the key share in the orchestrator's directory; undefined without a directory. */
  directory?: number | undefined;
  /** True if the fence has renamed the key store. */
  keyAside: boolean;
  /** Generation of the share in the staging directory next to it. */
  staging?: number | undefined;
  /** Generation of the newest share that was kept aside (`.before-…`). */
  kept?: number | undefined;
}

/** A simulated host. scripts.ts has what the shell scripts do to it. */
export interface ModelHost extends Disk {
  readonly address: string;
  /** Number of reinstallations. */
  installs?: number;
  running: boolean;
  reachable: boolean;
  /** Disk after a power failure: the last synced state. */
  durable?: Disk | undefined;
  /** Snapshot that an operator may restore. */
  saved?: Disk | undefined;
  /** True if someone else, not the program, made its orchestrator run, or able to run, next to another one. */
  strange?: boolean;
  /** True after a restored snapshot or a reinstallation: nobody can know what the disk had. */
  rewound?: boolean;
  /** True once the server was abandoned: it never comes back. */
  isGone?: boolean;
  /** True while the host is switched off, as a fence leaves it. */
  isOff?: boolean;
  /** Token of the run that holds the host's lock. */
  owner?: string | undefined;
}

export const installed = (address: string): ModelHost => ({
  address,
  running: false,
  enabled: false,
  masked: true,
  keyAside: false,
  reachable: true,
});
/** Returns a host whose orchestrator runs. */
export const signing = (address: string): ModelHost => ({
  ...installed(address),
  running: true,
  enabled: true,
  masked: false,
  directory: 1,
});

export function diskOf({ journal, enabled, masked, directory, keyAside, staging, kept }: Disk): Disk {
  return { journal, enabled, masked, directory, keyAside, staging, kept };
}

/** Copies the disk to its synced state: as on a journaled file system, a sync also saves every earlier write. */
export function sync(host: ModelHost): void {
  host.durable = diskOf(host);
}

/** True if a seal broke off before it moved the copied directory out of its place, as parseHostState says. */
export function liesInPlace({ journal, directory, staging }: Disk): boolean {
  return journal !== undefined && mayLieInPlace(journal) && directory !== undefined && staging === undefined;
}

/** True if the next boot starts the orchestrator. */
export function wouldBoot({ enabled, masked, directory, keyAside }: Disk): boolean {
  return enabled && !masked && directory !== undefined && !keyAside;
}

export function boot(host: ModelHost): void {
  host.running = wouldBoot(host);
  host.owner = undefined;
}

/** Boots a host that has lost every write since its last sync. */
export function cutPower(host: ModelHost): void {
  Object.assign(host, host.durable ?? {});
  boot(host);
}

const brief = new WeakMap<Journal, string>();

/** Formats what decisions read of a journal. They read its history as a set only. */
function journalText(journal: Journal): string {
  const known = brief.get(journal);
  if (known !== undefined) return known;
  const named = (move: MoveId | undefined) => (move ? `${move.stack}/${move.attempt}` : "");
  const past = new Set(journal.history.map(({ move, stage }) => `${named(move)}:${stage}`));
  const text = `${named(journal.move)} ${journal.isRestore} ${journal.direction} ${journal.side} ${journal.stage} ${journal.other.address} ${journal.source} ${journal.target} [${[...past].sort()}]`;
  brief.set(journal, text);
  return text;
}

/** Rank of a generation among all generations of a world: decisions compare them only. */
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

/** Formats a host: two hosts with the same text behave the same from here on. */
export function hostText(host: ModelHost, rank: Rank): string {
  const { running, reachable, strange, rewound, durable, saved, isOff } = host;
  const now = diskText(host, rank);
  const then = durable ? diskText(durable, rank) : now;
  if (host.isGone) return "gone";
  const flags = `${running ? "R" : ""}${reachable ? "" : "x"}${strange ? "s" : ""}${rewound ? "w" : ""}${isOff ? "o" : ""}`;
  return `${flags} ${now}${then === now ? "" : ` | ${then}`}${saved ? ` < ${diskText(saved, rank)}` : ""}${host.installs ? ` #${host.installs}` : ""}`;
}
