import { locateBackupFiles } from "../store/backupFiles";
import { openStore } from "../store/openStore";
import type { Store } from "../store/store";
import type { EventBody, LogEvent, MoveEvent, MoveEventBody, MoveEventName, Optional } from "./events";
import { findLastHash, storeHead } from "./logIntegrity";
import { formatLine, parseLine } from "./logLine";
import { isSameMove, type MoveId } from "./moveId";

/** The place of an event log, and the stack that writes it. */
export interface LogRef {
  /** A directory, or a bucket (core/store/recordsDirectory.ts). */
  readonly directory: string;
  readonly stack: string;
  readonly pillar: string;
}

export function createLogRef({
  backup,
  stack,
  pillar,
}: Omit<LogRef, "directory"> & { readonly backup: Pick<LogRef, "directory"> }): LogRef {
  return { directory: backup.directory, stack, pillar };
}

export interface EventLog {
  readonly store: Store;
  /** Reads the events of the Pillar's stacks, oldest first. @throws in the operator's words, as `add` does */
  read(): Promise<LogEvent[]>;
  /** Adds an event without which the run must not go on. */
  add(news: EventBody): Promise<void>;
  /** Adds events without which the run goes on; reports a failure once. @returns true if they were written */
  note(...news: readonly Optional<EventBody>[]): Promise<boolean>;
  /**
   * Adds the events that are new to the current log, and returns those that it wrote. Adds none if the log can't be
   * read, because they could be duplicates. Reports a failure once.
   */
  noteChanges(
    findChanges: (events: readonly LogEvent[]) => readonly Optional<EventBody>[],
  ): Promise<readonly Optional<EventBody>[]>;
  addMove(move: MoveId, news: MoveEventBody): Promise<void>;
  noteMove(move: MoveId, news: Optional<MoveEventBody>): Promise<boolean>;
}

interface EventLogDeps {
  now(): number;
  say(line: string): void;
}

export function openEventLog({ directory: place, stack, pillar }: LogRef, deps: EventLogDeps): EventLog {
  const store = openStore(place, stack);
  const inWords = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new Error(store.formatError(what, error as Error));
    }
  };
  const at = () => new Date(deps.now()).toISOString();
  const write = (entry: LogEvent | MoveEvent) => inWords("written", () => appendEvent(store, entry));
  const add = (news: EventBody) => write({ at: at(), stack, pillar, ...news });
  const addMove = (move: MoveId, news: MoveEventBody) => write({ at: at(), move, ...news });
  let lastReport: string | undefined;
  const tryTo = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      const { message } = error as Error;
      if (message !== lastReport) deps.say(message);
      lastReport = message;
      return false;
    }
  };
  const read = () => inWords("read", () => readEvents(store, pillar));
  const addAll = async (news: readonly EventBody[]) => {
    for (const each of news) await add(each);
  };
  return {
    store,
    read,
    add,
    addMove,
    note: (...news) => tryTo(() => addAll(news)),
    noteChanges: async (newsTo) => {
      let news: readonly Optional<EventBody>[] = [];
      const isWritten = await tryTo(async () => {
        news = newsTo(await read());
        await addAll(news);
      });
      return isWritten ? news : [];
    },
    noteMove: (move, news) => tryTo(() => addMove(move, news)),
  };
}

/** Adds an event; it is stored once this resolves. @throws if it can't be written */
export async function appendEvent(store: Store, entry: LogEvent | MoveEvent): Promise<void> {
  const lines = await store.readLines();
  const line = formatLine(entry, findLastHash(lines));
  await store.append(line);
  storeHead(store, [...lines, line]);
}

/**
 * Reads all events of a Pillar's stacks, oldest first. Filters by Pillar, because two Pillars may share a place and a
 * stack name. @throws if the log can't be read, or a newer program wrote in it
 */
export async function readEvents(store: Store, pillar: string): Promise<LogEvent[]> {
  return (await readLog(store, pillar)).filter((entry) => "stack" in entry);
}

/** Reads all events of a Pillar's stacks and moves, oldest first. @throws as {@link readEvents} does */
export async function readLog(store: Store, pillar: string): Promise<(LogEvent | MoveEvent)[]> {
  return (await readAll(store)).filter((entry) => ("stack" in entry ? entry : entry.move).pillar === pillar);
}

/** Reads all events of orchestrators' moves, oldest first. @throws as {@link readEvents} does */
export async function readMoveEvents(store: Store): Promise<MoveEvent[]> {
  const events = (await readAll(store)).filter((entry) => "move" in entry);
  return events.map((entry) => locateFiles(entry, store));
}

async function readAll(store: Store): Promise<(LogEvent | MoveEvent)[]> {
  return (await store.readLines()).flatMap((line) => parseLine(line, store.log) ?? []);
}

/** Returns an event with the present places of its backup's files. */
export function locateFiles(entry: MoveEvent, store: Pick<Store, "directory" | "files">): MoveEvent {
  if (entry.event === "backup") return { ...entry, details: locateBackupFiles(entry.details, store) };
  if (entry.event !== "secured" || entry.details.backup === undefined) return entry;
  return { ...entry, details: { ...entry.details, backup: locateBackupFiles(entry.details.backup, store) } };
}

export function findLastMoveEvent<E extends MoveEventName>(events: readonly MoveEvent[], move: MoveId, event: E) {
  const isIt = (entry: MoveEvent): entry is Extract<MoveEvent, { event: E }> => entry.event === event;
  return events.filter(isIt).findLast((entry) => isSameMove(entry.move, move));
}

/** True if a move ended, forward or back: none of its steps runs again. */
export function isMoveOver(events: readonly MoveEvent[], move: MoveId): boolean {
  return (
    findLastMoveEvent(events, move, "done") !== undefined || findLastMoveEvent(events, move, "rolledBack") !== undefined
  );
}
