import path from "node:path";
import type { Figures, LogEvent, MoveEvent } from "../../core/eventLog/events";
import { sizeText } from "../../core/util/sizeText";
import { durationText } from "../../core/util/timeText";
import type { Item } from "./reportTypes";
import { happenedAt, type Scope, timeOf } from "./scope";

type TellingEntry = Exclude<LogEvent, { readonly event: "waiting" }>;
type ItemText = Pick<Item, "title" | "lines" | "weight">;

/** All that happened, the oldest first (pure). */
export function timelineOf({ events, moves }: Scope): Item[] {
  const last = new Map<string, number>();
  return [...events.filter(isTelling), ...moves]
    .sort((a, b) => timeOf(a) - timeOf(b))
    .map((entry) => {
      const stack = "stack" in entry ? entry.stack : entry.move.stack;
      const told = "stack" in entry ? ofStack(entry) : ofMove(entry);
      const item = { at: happenedAt(entry), stack, event: entry.event, ...told };
      if (told.weight !== "stage") return item;
      const before = last.get(stack);
      last.set(stack, timeOf(entry));
      return before === undefined ? item : { ...item, seconds: Math.round((timeOf(entry) - before) / 1000) };
    });
}

function stage(title: string, lines: readonly string[] = []): ItemText {
  return { title, lines, weight: "stage" };
}

/** A wait speaks up each half an hour: it has a curve of its own. */
function isTelling(entry: LogEvent): entry is TellingEntry {
  return entry.event !== "waiting";
}

function ofStack(entry: TellingEntry): ItemText {
  switch (entry.event) {
    case "host": {
      const { provider, address, serverId } = entry.details;
      return stage(`host ${address} (${provider}${serverId === undefined ? "" : `, server ${serverId}`})`);
    }
    case "recorded":
      return {
        title: `momentum ${entry.details.height} recorded`,
        lines: [`hash ${entry.details.hash}`],
        weight: "note",
      };
    case "synced": {
      const { currentHeight, proved, unproved } = entry.details;
      return stage(`synced at height ${currentHeight}`, [...proved, ...unproved.map((gap) => `not proved: ${gap}`)]);
    }
    case "stepUnproved":
      return { title: `the login of the host did not run the step ${entry.details.step}`, lines: [], weight: "note" };
    case "chainCopyBegun":
      return { title: `copy of the chain begun from ${entry.details.from}`, lines: [], weight: "note" };
    case "chainCopied": {
      const { from, files, bytes, seconds, height, manifest, extraBytes } = entry.details;
      return stage(`chain copied from ${from}, up to momentum ${height}`, [
        `${sizeText(bytes)} in ${files} files, ${durationText(seconds * 1000)}; kept there meanwhile, at most: ${sizeText(extraBytes)}`,
        `hash of all files' hashes: ${manifest}`,
      ]);
    }
    case "registered": {
      const { producerAddress, figures } = entry.details;
      return stage("registered on chain", [`producer address ${producerAddress}`, ...figuresLine(figures)]);
    }
    case "registeredTooEarly": {
      const { producerAddress, earlier } = entry.details;
      const lines = [`producer address ${producerAddress}`, ...(earlier === undefined ? [] : [`before: ${earlier}`])];
      return { title: "registered on chain before its node is synced: it misses momentums", lines, weight: "alarm" };
    }
    case "registeredElsewhere": {
      const lines = [`producer address ${entry.details.producerAddress}`];
      return { title: "registered on chain with another address again", lines, weight: "alarm" };
    }
    case "producing": {
      const { height, producerAddress, figures, before } = entry.details;
      const ended = before ? [`the last of ${before.producerAddress}: momentum ${before.height}`] : [];
      return stage(`produces: momentum ${height}`, [`of ${producerAddress}`, ...ended, ...figuresLine(figures)]);
    }
    case "shuttingDown":
      return { title: `node of ${entry.details.address} about to be shut down`, lines: [], weight: "note" };
    case "shutDown":
      return stage(`node of ${entry.details.address} shut down`, entry.details.evidence);
    case "rewards": {
      const { evidence, saidBy } = entry.details;
      return stage(`rewards collected${saidBy === "operator" ? " (said by the operator)" : ""}`, evidence);
    }
    case "told":
      return { title: `the webhook was told: ${entry.details.notice}`, lines: [], weight: "note" };
    case "refused":
      return { title: "a deletion was refused", lines: entry.details.reasons, weight: "note" };
    case "override": {
      const { sentence, reasons } = entry.details;
      const lines = [`typed: ${sentence}`, ...reasons.map((reason) => `in spite of: ${reason}`)];
      return { title: "OVERRIDDEN by the operator", lines, weight: "alarm" };
    }
    case "released": {
      const { evidence, serverId } = entry.details;
      return stage(`host let go${serverId === undefined ? "" : ` (server ${serverId})`}`, evidence);
    }
  }
}

function ofMove(entry: MoveEvent): ItemText {
  switch (entry.event) {
    case "backup":
      return { title: backupTitle(entry.details), lines: [path.basename(entry.details.file)], weight: "note" };
    case "secured": {
      const { oldVersion } = entry.details;
      const lines = oldVersion === undefined ? [] : [`version ${oldVersion} on the old host`];
      return { title: "signer: all that its move needs was checked", lines, weight: "note" };
    }
    case "begun":
    case "starting": {
      const way = entry.details.direction === "back" ? "back" : "there";
      const title = entry.event === "begun" ? `signer: its way ${way} begins` : `signer: its way ${way} starts it now`;
      return { title, lines: [`generation ${entry.details.generation}`], weight: "note" };
    }
    case "failed": {
      const lines = entry.details.error === undefined ? [] : [entry.details.error];
      return { title: "signer: a run of its move ended in an error", lines, weight: "note" };
    }
    case "done":
    case "rolledBack": {
      const { version, secondsWithoutSigner: seconds } = entry.details;
      const lines = [
        ...(version === undefined ? [] : [`version ${version}`]),
        ...(seconds === undefined ? [] : [`the bridge was without this signer for ${seconds} s`]),
      ];
      return stage(entry.event === "done" ? "signer moved here" : "signer brought back to the old host", lines);
    }
  }
}

function backupTitle({ label, files }: { label?: string | undefined; files: number }): string {
  if (label === "retired") return `last backup of the host's keys, proved (${files} files)`;
  if (label === "asked") return `signer: backup on request, proved (${files} files)`;
  return `signer: ${label === undefined ? "" : `${label} `}backup, proved (${files} files)`;
}

function figuresLine(figures: Figures | undefined): string[] {
  return figures
    ? [`this epoch so far: ${figures.produced} of ${figures.expected} momentums, by a count up to 5 min old`]
    : [];
}
