import type { MoveEvent } from "../../core/eventLog/events.ts";
import type { MoveId } from "../../core/eventLog/moveId.ts";
import type { Journal } from "../../core/orchestrator/rules/journal.ts";

/**
 * A journal or an event that a run wrote, as a text without times and keys: hosts are `@old`, moves `#prod/1`. The
 * simulation and the lab write the same text, each with its own names.
 */
export interface RecordedWrite {
  /** Name of the host; `log` for the event log. */
  readonly place: string;
  /** Unix milliseconds between which it was written. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Text of a journal that a person removed. */
export const removalByHand = "removed by hand";

/** Returns the name of the host with a key. */
type NameOf = (key: string) => string;

type Leg = Pick<Journal, "direction" | "generation" | "source" | "target" | "isRestore">;

const formatName = ({ stack, attempt }: MoveId) => `#${stack}/${attempt}`;

function formatSaga(move: MoveId, { direction, generation, source, target, isRestore }: Leg, nameOf: NameOf): string {
  return `${formatName(move)} ${direction} ${generation} @${nameOf(source)}>@${nameOf(target)}${isRestore ? " restore" : ""}`;
}

/** Formats all stages that a journal has, `count` of them at most. */
export function formatHistory({ history }: Journal, count = history.length): string {
  return `[${history.slice(0, count).map(({ stage, move }) => `${move && formatName(move)}:${stage}`)}]`;
}

/** Formats what decisions read of a journal. */
export function formatJournal(journal: Journal, nameOf: NameOf): string {
  const { move, side, stage } = journal;
  return `${formatSaga(move, journal, nameOf)} ${side} ${stage} ${formatHistory(journal)}`;
}

export function formatEnd(move: MoveId, generation: number, holder: string | undefined): string {
  return `ended ${formatName(move)} ${generation} ${holder}`;
}

/** Formats an event on which the next runs decide; undefined for another one. */
export function formatMoveEvent({ move, event, details }: MoveEvent, nameOf: NameOf): string | undefined {
  if (event === "begun" || event === "starting") return `${event} ${formatSaga(move, details, nameOf)}`;
  if (event === "done" || event === "rolledBack") return formatEnd(move, details.generation, details.holder);
  if (event === "fenced" || event === "unfenced") return `${event} @${nameOf(details.hostKey)}`;
  // The simulation's runs know what an operator confirmed, and do not log it.
  return event === "confirmed" && details.key === "laterThanMove" ? `confirmed ${details.value}` : undefined;
}

/** Parses the saga in a text; none if it names none. */
export function parseSagas(text: string) {
  const found = /#(\S+)\/(\d+) (forward|back) \d+ @(\S+)>@(\S+)/.exec(text);
  if (!found) return [];
  const [, stack = "", attempt, direction, from = "", to = ""] = found;
  const hosts = direction === "forward" ? { old: from, new: to } : { old: to, new: from };
  return [{ stack, attempt: Number(attempt), ...hosts }];
}

/** Formats a recording, a line for each write. */
export function formatRecording(all: readonly RecordedWrite[]): string {
  const start = Math.min(...all.map(({ to }) => to));
  const times = ({ from, to }: RecordedWrite) => [from, to].map((time) => Math.round(time - start)).join(" ");
  return all.map((each) => `${each.place} ${times(each)} ${each.text}\n`).join("");
}

export function parseRecording(text: string): RecordedWrite[] {
  const lines = text.split("\n").filter(Boolean);
  return lines.map((line) => {
    const [place = "", from, to, ...rest] = line.split(" ");
    return { place, from: Number(from), to: Number(to), text: rest.join(" ") };
  });
}
