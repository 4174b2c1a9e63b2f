import path from "node:path";
import { z } from "zod";
import type { EventName, LogEvent, MoveEvent, MoveEventName } from "../../core/eventLog/events";
import { sizeText } from "../../core/util/sizeText";
import { durationText } from "../../core/util/timeText";

/** A stage is a step of the migration; an operator must not overlook an alarm. */
export interface Wording {
  readonly weight: "stage" | "note" | "alarm";
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * The templates of an event. `{field}` stands for a detail, `{a.b}` for a nested one. A line is left out if a detail
 * with `?` is missing, and repeated for each element of a list. An event without another detail can't be read.
 */
type Words = readonly [weight: Wording["weight"], title: string, ...lines: string[]];

const epoch = "this epoch so far: {figures.produced?} of {figures.expected?} momentums, by a count up to 5 min old";
const wait = "{startedAt} to {syncedAt} ({took}): height {startHeight} to {currentHeight}, {rate} momentums a second";
const end = ["the {holder} host holds the key", "version {version?}", "time without this signer: {gap}"] as const;
const stackWords: Record<EventName, Words> = {
  host: ["stage", "host {address} ({provider})", "server {serverId?}"],
  recorded: ["note", "momentum {height} recorded", "hash {hash}"],
  // Waits have a line every half hour. The report has only the last one, with the curve of all.
  waiting: ["note", "not synced yet", "since {startedAt}, {curve.length} heights seen", wait.replaceAll("}", "?}")],
  synced: ["stage", "synced at height {currentHeight}", wait, "{proved}", "not proved: {unproved}"],
  stepUnproved: ["note", "the login of the host did not run the step {step}"],
  chainCopyBegun: ["note", "chain copy started from {from}"],
  chainCopied: [
    "stage",
    "chain copied from {from}, up to momentum {height}",
    "{bytes} in {files} files, {seconds}; extra space used there, at most: {extraBytes}",
    "hash of all files' hashes: {manifest}",
  ],
  registered: ["stage", "registered on chain", "producer address {producerAddress}", epoch],
  registeredTooEarly: [
    "alarm",
    "registered on chain before its node is synced: it misses momentums",
    "producer address {producerAddress}",
    "before: {earlier?}",
  ],
  registeredElsewhere: [
    "alarm",
    "registered on chain with another address again",
    "producer address {producerAddress}",
  ],
  producing: [
    "stage",
    "produces: momentum {height}",
    "of {producerAddress}, at {switchedAt}",
    "last of {before.producerAddress?}: momentum {before.height?} at {before.at?}",
    "between: {between?}, in which other Pillars produced",
    "missed: {missed}",
    epoch,
  ],
  shuttingDown: ["note", "node of {address} about to be shut down"],
  shutDown: ["stage", "node of {address} shut down", "{evidence}"],
  reactivated: ["note", "retirement of {address} taken back"],
  rewards: ["stage", "rewards collected", "said by the {saidBy?}", "{evidence}"],
  told: ["note", "webhook notified: {notice}"],
  refused: ["note", "a deletion was refused", "{reasons}"],
  override: ["alarm", "OVERRIDDEN by the operator", "typed: {sentence}", "in spite of: {reasons}"],
  released: ["stage", "host retired", "server {serverId?}", "{evidence}"],
};
const moveWords: Record<MoveEventName, Words> = {
  backup: [
    "note",
    "{label} backup, proved ({files} files)",
    "{file}, {sealedBytes} bytes",
    "sha256 {sha256}",
    "opened with {identityFile}",
  ],
  secured: ["note", "signer: all prerequisites of its move were checked", "version {oldVersion?} on the old host"],
  begun: ["note", "signer: move {direction} started", "generation {generation}"],
  starting: ["note", "signer: move {direction} starts it now", "generation {generation}"],
  done: ["stage", "signer moved here", ...end],
  rolledBack: ["stage", "signer brought back to the old host", ...end],
  failed: ["note", "signer: a run of its move failed", "{error?}"],
};

export const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const ofKind = <T extends z.ZodType>(kind: T, names: string): Record<string, z.ZodOptional<T>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, kind.optional()]));
const figures = z.object({ expected: z.number(), produced: z.number() });
const before = z.object({ producerAddress: z.string(), height: z.number(), at: time });
/** All details that may get into a report. Other content of the file is dropped. */
const known = z.object({
  ...ofKind(z.string(), "address provider serverId hash step from manifest producerAddress earlier notice"),
  ...ofKind(z.string(), "sentence label file identityFile sha256 oldVersion direction source target holder version"),
  ...ofKind(z.string(), "error saidBy"),
  ...ofKind(z.number(), "height startHeight currentHeight files bytes seconds extraBytes empty sealedBytes generation"),
  ...ofKind(z.number(), "secondsWithoutSigner"),
  ...ofKind(time, "startedAt syncedAt switchedAt provedAt checkedAt movedAt"),
  ...ofKind(z.array(z.string()), "proved unproved reasons evidence"),
  ...ofKind(z.array(z.tuple([z.number(), z.number(), z.number()])), "curve"),
  figures: figures.optional(),
  before: before.optional(),
  orBefore: z.literal(true).optional(),
});

type Details = Readonly<Record<string, unknown>>;

/** Parses an event's details and words them. @returns undefined for an event of another version */
export function wordEvent({ event, details, ...rest }: Pick<LogEvent | MoveEvent, "event" | "details">) {
  const table: Readonly<Record<string, Words>> = "move" in rest ? moveWords : stackWords;
  const words = Object.hasOwn(table, event) ? table[event] : undefined;
  const read = known.safeParse(details);
  if (words === undefined || !read.success) return undefined;
  const values = { ...read.data, ...deriveValues(read.data) };
  const [weight, title, ...lines] = words;
  const filled = [title, ...lines].map((template) => fillTemplate(template, values));
  const [[head = ""] = [], ...others] = filled;
  if (filled.some((each) => each === undefined)) return undefined;
  const wording: Wording = { weight, title: head, lines: others.flatMap((each) => each ?? []) };
  return { details: read.data, wording };
}

function deriveValues(details: Details): Details {
  const { startedAt, syncedAt, startHeight, currentHeight, switchedAt, before, empty, secondsWithoutSigner } = details;
  const seconds = (Date.parse(String(syncedAt)) - Date.parse(String(startedAt))) / 1000;
  const rate = Math.round(((Number(currentHeight) - Number(startHeight)) / seconds) * 10) / 10;
  const lastAt = (before as { readonly at: string } | undefined)?.at;
  return {
    took: durationText(seconds * 1000),
    rate: Number.isFinite(rate) ? rate : 0,
    between: lastAt && durationText(Date.parse(String(switchedAt)) - Date.parse(lastAt)),
    missed:
      empty === undefined
        ? "not known, no empty slots were counted between the two"
        : `${empty === 0 ? "none" : `${empty} at most`}, by the slots of the whole network that stayed empty between the two`,
    gap: secondsWithoutSigner === undefined ? "not known, more than one run" : `${secondsWithoutSigner} s`,
  };
}

/**
 * Fills a template. @returns a line, or one per element of a list, or none if an optional detail is missing; undefined
 * if another one is missing
 */
function fillTemplate(template: string, values: Details): string[] | undefined {
  let texts = [template];
  for (const [field, name = "", optional] of template.matchAll(/\{([\w.]+)(\??)\}/g)) {
    const value = name.split(".").reduce<unknown>((inner, key) => (inner as Details | undefined)?.[key], values);
    if (value === undefined) return optional ? [] : undefined;
    const all = (Array.isArray(value) ? value : [value]).map((each) => formatValue(name, each));
    texts = texts.flatMap((text) => all.map((each) => text.replace(field, () => each)));
  }
  return texts;
}

function formatValue(name: string, value: unknown): string {
  if (name === "bytes" || name === "extraBytes") return sizeText(Number(value));
  if (name === "seconds") return durationText(Number(value) * 1000);
  if (name === "file") return path.basename(String(value));
  return /(At|\.at)$/.test(name)
    ? `${new Date(String(value)).toISOString().slice(0, 19).replace("T", " ")}`
    : String(value);
}

export const formatMinute = (at: string) => new Date(at).toISOString().slice(0, 16).replace("T", " ");
