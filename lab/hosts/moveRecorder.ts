import { closeSync, existsSync, type FSWatcher, fstatSync, globSync, openSync, readFileSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { MoveEvent } from "../../core/eventLog/events.ts";
import { parseLine } from "../../core/eventLog/logLine.ts";
import { journalFile, parseJournal } from "../../core/orchestrator/rules/journal.ts";
import { computeFingerprint } from "../../core/ssh/publicKey.ts";
import {
  formatHistory,
  formatJournal,
  formatMoveEvent,
  formatRecording,
  type RecordedWrite,
  removalByHand,
} from "../simulation/recording.ts";

interface Host {
  readonly name: string;
  readonly root: string;
}

/** A journal as it was read, and the time of its file; empty once it is gone. */
interface Version {
  readonly host: Host;
  readonly at: number;
  readonly text: string;
  isByHand?: boolean;
}

/**
 * Keeps each journal that is written on a lab's hosts, and checks in the end that journals and events are a path of the
 * simulation. Two journals in a row may be read as one; the later one's history has the earlier one's stage.
 */
export class MoveRecorder {
  private readonly hosts: Host[] = [];
  private readonly watchers: FSWatcher[] = [];
  private readonly versions: Version[] = [];
  /** Names of the hosts by the fingerprints of their keys. */
  private readonly names = new Map<string, string>();

  watch({ name, root }: Host): void {
    const host = { name, root };
    this.hosts.push(host);
    const directory = dirname(join(root, journalFile));
    const follow = () => {
      if (!existsSync(directory)) return false;
      this.on(join(root, journalFile), () => this.read(host));
      this.read(host);
      return true;
    };
    // A blank host has no such directory.
    if (!follow()) this.on(directory, (watcher) => follow() && watcher.close());
  }

  private on(path: string, call: (watcher: FSWatcher) => unknown): void {
    const watcher = watch(dirname(path), { persistent: false }, (_event, file) => {
      if (file === basename(path)) call(watcher);
    });
    this.watchers.push(watcher);
  }

  /** Reads hosts that are not watched, before they are deleted. */
  see(servers: readonly Host[]): void {
    for (const host of servers) this.read(host);
  }

  /** Accepts that a person removed journals: no run does. */
  byHand(): void {
    for (const host of this.hosts) this.read(host);
    for (const version of this.versions) version.isByHand = true;
  }

  private read(host: Host): void {
    this.names.set(fingerprintOf(host), host.name);
    const last = this.versions.findLast((version) => version.host.name === host.name);
    const found = readVersion(join(host.root, journalFile));
    if (found ? found.at === last?.at : !last?.text) return;
    this.versions.push({ host, ...(found ?? { at: Date.now(), text: "" }) });
  }

  /**
   * Ends the recording. A lab without a move in an event log is not checked: its journals, if any, are not written by the
   * program's runs.
   * @param servers hosts that were not watched @param directory of the lab, with its event logs
   * @returns why the writes are no path of the simulation
   */
  async end(servers: readonly Host[], directory: string): Promise<string | undefined> {
    for (const watcher of this.watchers) watcher.close();
    this.see([...this.hosts, ...servers]);
    const nameOf = (key: string) => this.names.get(key) ?? key;
    const events = readEvents(directory);
    if (events.length === 0) return undefined;
    const lines = events.flatMap((event) => {
      const [text, from] = [formatMoveEvent(event, nameOf), Date.parse(event.at)];
      // An operator's command may fence a host beside a run whose engine was killed.
      const to = event.event === "fenced" ? Number.POSITIVE_INFINITY : from;
      return text ? [{ place: "log", from, to, text }] : [];
    });
    const journals = this.versions.flatMap((version, index) => {
      const before = this.versions.slice(0, index).findLast(({ host }) => host.name === version.host.name);
      return listWrites(version, before, nameOf);
    });
    const all = [...journals, ...lines].sort((a, b) => a.from - b.from);
    // Loaded only if something moved.
    const { replayRecording } = await import("../simulation/replay.ts");
    const refusal = await replayRecording(all);
    return refusal && `${refusal}\n\nAll of them:\n${formatRecording(all)}`;
  }
}

function readVersion(file: string): Pick<Version, "at" | "text"> | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return undefined;
  }
  const version = { at: fstatSync(descriptor).mtimeMs, text: readFileSync(descriptor, "utf8") };
  closeSync(descriptor);
  return version;
}

/** Reads the moves' events of a lab's event logs, also of those in a bucket. */
function readEvents(directory: string): MoveEvent[] {
  const machines = ["backups/record.jsonl", "stacks/*/data/pillar-host/records/*/record.jsonl"];
  const logs = [...machines, "bucket/state/**/log/*.json"];
  const texts = globSync(logs, { cwd: directory }).map((log) => readFileSync(join(directory, log), "utf8"));
  const entries = [...new Set(texts.flatMap((text) => text.split("\n")))].map((line) =>
    parseLine(line, "an event log"),
  );
  return entries.filter((entry) => entry !== undefined && "move" in entry);
}

/** Returns the fingerprint of a host's key; none before a server's first boot. */
function fingerprintOf({ root }: Host): string {
  const file = join(root, "etc/ssh/ssh_host_ed25519_key.pub");
  return existsSync(file) ? computeFingerprint(readFileSync(file, "utf8")) : "";
}

/** Returns a journal as a write, after those that only its history shows. */
function listWrites(
  { host, at, text, isByHand }: Version,
  before: Version | undefined,
  nameOf: (key: string) => string,
): RecordedWrite[] {
  const place = host.name;
  const from = before?.at ?? 0;
  const journal = parseJournal(text, place);
  if (journal === undefined) return [{ place, from, to: at, text: isByHand ? removalByHand : "removed" }];
  const known = parseJournal(before?.text ?? "", place)?.history.length ?? 0;
  const missed = Array.from({ length: Math.max(0, journal.history.length - known - 1) }, (_, index) => ({
    place,
    from,
    to: at,
    text: formatHistory(journal, index + known + 1),
  }));
  return [...missed, { place, from: at, to: at, text: formatJournal(journal, nameOf) }];
}
