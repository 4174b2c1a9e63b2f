import path from "node:path";
import type { EventName, LogEntry, MoveEventName } from "../../core/eventLog/events.ts";
import { formatDuration, formatSize } from "../../core/util/timeText.ts";

/** A stage is a step of the migration; an operator must not overlook an alarm. */
export interface EventText {
  readonly weight: "stage" | "note" | "alarm";
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * The templates of an event. `{field}` stands for a detail. A line is left out if a detail with `?` is missing, and
 * repeated for each element of a list. An event that lacks a detail without `?` can't be read.
 */
type Templates = readonly [weight: EventText["weight"], title: string, ...lines: string[]];

const wait = "{startedAt} to {syncedAt} ({took}): height {startHeight} to {currentHeight}, {rate} momentums a second";
const end = ["the {holder} host holds the key", "version {version?}"] as const;
const stackTemplates: Record<EventName, Templates> = {
  host: ["stage", "host {address} ({provider})", "server {serverId?}"],
  recorded: ["note", "momentum {height} recorded", "hash {hash}"],
  waiting: ["note", "not synced yet", "since {startedAt}", "from height {startHeight?}"],
  synced: ["stage", "synced at height {currentHeight}", wait, "{proved}", "not proved: {unproved}"],
  chainCopyBegun: ["note", "chain copy started from {from}", "confirmed by sync.copyAgain {confirmed?}"],
  chainCopied: ["stage", "chain copied from {from}, up to momentum {height}", "{bytes} in {files} files, {seconds}"],
  registered: ["stage", "registered on chain", "producer address {producerAddress}"],
  registeredTooEarly: [
    "alarm",
    "registered on chain before the node is synced: the Pillar misses momentums",
    "producer address {producerAddress}",
    "address before: {earlier?}",
  ],
  registeredElsewhere: ["alarm", "another address registered on chain", "producer address {producerAddress}"],
  producing: [
    "stage",
    "produces: momentum {height}",
    "of {producerAddress}, at {switchedAt}",
    "address before: {earlier?}",
  ],
  shuttingDown: ["note", "node of {address} about to be shut down"],
  shutDown: ["stage", "node of {address} shut down", "{evidence}"],
  reactivated: ["note", "retirement of {address} cancelled"],
  rewards: ["stage", "rewards collected", "{evidence}"],
  refused: ["note", "a deletion was refused", "{reasons}"],
  override: ["alarm", "OVERRIDDEN by the operator", "typed: {sentence}", "although: {reasons}"],
  released: ["stage", "host retired", "server {serverId?}", "{evidence}"],
};
const moveTemplates: Record<MoveEventName, Templates> = {
  backup: [
    "note",
    "{label} backup, proved ({files} files)",
    "{file}, {sealedBytes} bytes",
    "sha256 {sha256}",
    "opened with {identityFile}",
  ],
  secured: ["note", "orchestrator: all prerequisites of the move are met", "version {oldVersion?} on the old host"],
  begun: ["note", "orchestrator: move {direction} started", "generation {generation}"],
  starting: ["note", "orchestrator: about to be started by the move {direction}", "generation {generation}"],
  done: ["stage", "orchestrator moved here, {gap}", ...end],
  rolledBack: ["stage", "orchestrator moved back to the old host, {gap}", ...end],
  fenced: ["alarm", "orchestrator: lost host {address} is fenced", "{how}", "server {serverId?}"],
  unfenced: ["alarm", "orchestrator: lost host {address} answers again: its fence has ended"],
  confirmed: ["alarm", "orchestrator: confirmed by the operator", "{key}: {value}"],
  failed: ["note", "orchestrator: a run of the move failed", "{error?}", "{secondsWithoutSigner?} s without it"],
};

type Details = Readonly<Record<string, unknown>>;

/** Formats an event by its known details alone. @returns undefined for an event of another version */
export function formatEvent(entry: Pick<LogEntry, "event" | "details">): EventText | undefined {
  const { event, details } = entry;
  const table: Readonly<Record<string, Templates>> = "move" in entry ? moveTemplates : stackTemplates;
  const templates = Object.hasOwn(table, event) ? table[event] : undefined;
  if (templates === undefined) return undefined;
  const values = { ...details, ...deriveValues({ ...details }) };
  const [weight, title, ...lines] = templates;
  const filled = [title, ...lines].map((template) => fillTemplate(template, values));
  const [[head = ""] = [], ...others] = filled;
  if (filled.some((each) => each === undefined)) return undefined;
  return { weight, title: head, lines: others.flatMap((each) => each ?? []) };
}

function deriveValues(details: Details): Details {
  const { startedAt, syncedAt, startHeight, currentHeight, secondsWithoutSigner } = details;
  const seconds = (Date.parse(String(syncedAt)) - Date.parse(String(startedAt))) / 1000;
  const rate = Math.round(((Number(currentHeight) - Number(startHeight)) / seconds) * 10) / 10;
  return {
    took: formatDuration(seconds * 1000),
    rate: Number.isFinite(rate) ? rate : 0,
    gap: secondsWithoutSigner === undefined ? "unknown how long without it" : `${secondsWithoutSigner} s without it`,
  };
}

/**
 * Fills a template. @returns a line, or one per element of a list, or none if an optional detail is missing; undefined
 * if a required detail is missing
 */
function fillTemplate(template: string, values: Details): string[] | undefined {
  let texts = [template];
  for (const [field, name = "", optional] of template.matchAll(/\{(\w+)(\??)\}/g)) {
    const value = values[name];
    if (value === undefined) return optional ? [] : undefined;
    const all = (Array.isArray(value) ? value : [value]).map((each) => formatValue(name, each));
    texts = texts.flatMap((text) => all.map((each) => text.replace(field, () => each)));
  }
  return texts;
}

function formatValue(name: string, value: unknown): string {
  if (name === "bytes") return formatSize(Number(value));
  if (name === "seconds") return formatDuration(Number(value) * 1000);
  if (name === "file") return path.basename(String(value));
  return name.endsWith("At") ? formatTime(String(value), 19) : String(value);
}

const formatTime = (at: string, length: number) => new Date(at).toISOString().slice(0, length).replace("T", " ");
export const formatMinute = (at: string) => formatTime(at, 16);
