import { found } from "../store/found";
import { recordsAt } from "../store/records";
import type { EventName, LogEvent, MoveEvent, MoveEventName, MoveNews, News } from "./events";
import { appendLine, readLines } from "./logFile";
import { isSameMove, type MoveId } from "./moveId";

/** Where a stack's event log is, and whose it is. */
export interface LogPlace {
  /** As core/store/records.ts takes it: as configured, or the word for the user's own. */
  readonly directory: string;
  readonly stack: string;
  readonly pillar: string;
}

/** The event log of a migration, for one stack. */
export interface EventLog {
  /** Absolute. */
  readonly directory: string;
  /** Of the Pillar's journey, the oldest first. @throws in words */
  read(): LogEvent[];
  /** @throws in words: what must be written down is not done without */
  add(news: News): void;
  /** Says so, once, where it can't be written: the journey goes on without. @returns whether it was */
  note(...news: readonly News[]): boolean;
  /** The same, of a move. */
  addMove(move: MoveId, news: MoveNews): void;
  noteMove(move: MoveId, news: MoveNews): boolean;
}

/** What the event log depends on. */
export interface EventLogDeps {
  /** Unix milliseconds. */
  now(): number;
  say(line: string): void;
}

export function openEventLog({ directory: place, stack, pillar }: LogPlace, deps: EventLogDeps): EventLog {
  const directory = recordsAt(place);
  const inWords = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new Error(
        `the record of the migration could not be ${what} on this machine: ${directory}\n` +
          `  found: ${(error as Error).message}\n  needed: a directory that can be read and written, with room in it`,
      );
    }
  };
  const at = () => new Date(deps.now()).toISOString();
  const add = (news: News) => inWords("written", () => appendLine(directory, { at: at(), stack, pillar, ...news }));
  const addMove = (move: MoveId, news: MoveNews) =>
    inWords("written", () => appendLine(directory, { at: at(), move, ...news }));
  let said: string | undefined;
  const carefully = (work: () => void): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      const { message } = error as Error;
      if (message !== said) deps.say(message);
      said = message;
      return false;
    }
  };
  return {
    directory,
    read: () => inWords("read", () => readEvents(directory, pillar)),
    add,
    addMove,
    note: (...news) => carefully(() => news.forEach(add)),
    noteMove: (move, news) => carefully(() => addMove(move, news)),
  };
}

/**
 * All of a Pillar's journey, the oldest first; nothing where there is no log. Two Pillars' backups may lie in one place,
 * and their stacks have one name.
 *
 * @param directory absolute
 */
export function readEvents(directory: string, pillar: string): LogEvent[] {
  return readLines(directory).filter((entry) => "stack" in entry && entry.pillar === pillar) as LogEvent[];
}

/** All that was written of signers' moves, the oldest first. @param directory absolute */
export function readMoveEvents(directory: string): MoveEvent[] {
  const events = readLines(directory).filter((entry) => "move" in entry);
  return events.map((entry) => withFilesFound(entry, directory));
}

/** The same with the files of backups where they are now. @param directory absolute */
export function withFilesFound(entry: MoveEvent, directory: string): MoveEvent {
  if (entry.event === "backup") return { ...entry, details: found(entry.details, directory) };
  if (entry.event !== "secured" || entry.details.backup === undefined) return entry;
  return { ...entry, details: { ...entry.details, backup: found(entry.details.backup, directory) } };
}

/** What a stack lived through since it let its last host go (pure). */
export function sinceReleased(journey: readonly LogEvent[], stack: string): LogEvent[] {
  const own = journey.filter((entry) => entry.stack === stack);
  return own.slice(own.findLastIndex(({ event }) => event === "released") + 1);
}

/** The last line about an event of a stack (pure). */
export function lastEvent<E extends EventName>(journey: readonly LogEvent[], stack: string, event: E) {
  const isIt = (entry: LogEvent): entry is Extract<LogEvent, { event: E }> => entry.event === event;
  return journey.filter(isIt).findLast((entry) => entry.stack === stack);
}

/** The last line about an event of a move (pure). */
export function lastMoveEvent<E extends MoveEventName>(events: readonly MoveEvent[], move: MoveId, event: E) {
  const isIt = (entry: MoveEvent): entry is Extract<MoveEvent, { event: E }> => entry.event === event;
  return events.filter(isIt).findLast((entry) => isSameMove(entry.move, move));
}

/** Whether a move ended, there or back (pure): nothing of it is done again. */
export function isMoveOver(events: readonly MoveEvent[], move: MoveId): boolean {
  return lastMoveEvent(events, move, "done") !== undefined || lastMoveEvent(events, move, "rolledBack") !== undefined;
}
