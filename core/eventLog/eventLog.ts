import { found } from "../store/backupFiles";
import { storeAt } from "../store/openStore";
import type { Store } from "../store/store";
import { ofStack } from "../store/storeFault";
import type { LogEvent, MoveEvent, MoveEventName, MoveNews, News, Notable } from "./events";
import { lineOf, textOf } from "./logLine";
import { isSameMove, type MoveId } from "./moveId";
import { headOf, keepHead } from "./wholeLog";

/** The place of an event log, and the stack that writes it. */
export interface LogRef {
  /** A directory or bucket as inputs name it (core/store/recordsDirectory.ts). */
  readonly directory: string;
  readonly stack: string;
  readonly pillar: string;
}

/** Returns the reference to the event log that lies beside the backups of a provider's inputs. */
export function logRefOfInputs({
  backup,
  stack,
  pillar,
}: Omit<LogRef, "directory"> & { readonly backup: Pick<LogRef, "directory"> }): LogRef {
  return { directory: backup.directory, stack, pillar };
}

/** The event log of a migration, for one stack. */
export interface EventLog {
  readonly store: Store;
  /** Of the Pillar's stacks, the oldest first. @throws in words */
  read(): Promise<LogEvent[]>;
  /** @throws in words: what must be written down is not done without */
  add(news: News): Promise<void>;
  /** Says so, once, where it can't be written: the run goes on without. @returns whether it was */
  note(...news: readonly Notable<News>[]): Promise<boolean>;
  /**
   * Writes what is news to the log as it is now. Where that can't be read nothing is news: what it has would be written again.
   *
   * @returns what was written; nothing where it could not be read or written, which is said, once
   */
  noteNews(newsTo: (events: readonly LogEvent[]) => readonly Notable<News>[]): Promise<readonly Notable<News>[]>;
  /** The same, of a move. */
  addMove(move: MoveId, news: MoveNews): Promise<void>;
  noteMove(move: MoveId, news: Notable<MoveNews>): Promise<boolean>;
}

/** What the event log depends on. */
export interface EventLogDeps {
  /** Unix milliseconds. */
  now(): number;
  say(line: string): void;
}

export function openEventLog({ directory: place, stack, pillar }: LogRef, deps: EventLogDeps): EventLog {
  const store = ofStack(stack, () => storeAt(place));
  const inWords = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new Error(store.faultText(what, error as Error));
    }
  };
  const at = () => new Date(deps.now()).toISOString();
  const write = (entry: LogEvent | MoveEvent) => inWords("written", () => appendEvent(store, entry));
  const add = (news: News) => write({ at: at(), stack, pillar, ...news });
  const addMove = (move: MoveId, news: MoveNews) => write({ at: at(), move, ...news });
  let said: string | undefined;
  const carefully = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      const { message } = error as Error;
      if (message !== said) deps.say(message);
      said = message;
      return false;
    }
  };
  const read = () => inWords("read", () => readEvents(store, pillar));
  const addAll = async (news: readonly News[]) => {
    for (const each of news) await add(each);
  };
  return {
    store,
    read,
    add,
    addMove,
    note: (...news) => carefully(() => addAll(news)),
    noteNews: async (newsTo) => {
      let news: readonly Notable<News>[] = [];
      const isWritten = await carefully(async () => {
        news = newsTo(await read());
        await addAll(news);
      });
      return isWritten ? news : [];
    },
    noteMove: (move, news) => carefully(() => addMove(move, news)),
  };
}

/** Adds an event, kept when this resolves. @throws where it can't be written */
export async function appendEvent(store: Store, entry: LogEvent | MoveEvent): Promise<void> {
  const lines = await store.lines();
  const line = textOf(entry, headOf(lines));
  await store.append(line);
  keepHead(store, [...lines, line]);
}

/**
 * All events of a Pillar's stacks, the oldest first; nothing where there is no log. Two Pillars' backups may lie in one place,
 * and their stacks have one name.
 *
 * @throws where it can't be read, or a newer program wrote in it
 */
export async function readEvents(store: Store, pillar: string): Promise<LogEvent[]> {
  return (await readLog(store, pillar)).filter((entry) => "stack" in entry);
}

/** Reads all events of a Pillar, of its stacks and of its moves, in the order of the log. @throws likewise */
export async function readLog(store: Store, pillar: string): Promise<(LogEvent | MoveEvent)[]> {
  return (await readAll(store)).filter((entry) => ("stack" in entry ? entry : entry.move).pillar === pillar);
}

/** All that was written of signers' moves, the oldest first. @throws likewise */
export async function readMoveEvents(store: Store): Promise<MoveEvent[]> {
  const events = (await readAll(store)).filter((entry) => "move" in entry);
  return events.map((entry) => withFilesFound(entry, store));
}

/** Lines that were broken off are left out. */
async function readAll(store: Store): Promise<(LogEvent | MoveEvent)[]> {
  return (await store.lines()).flatMap((line) => lineOf(line, store.log) ?? []);
}

/** The same with the files of backups where they are now. @param store of the log */
export function withFilesFound(entry: MoveEvent, store: Pick<Store, "directory" | "files">): MoveEvent {
  if (entry.event === "backup") return { ...entry, details: found(entry.details, store) };
  if (entry.event !== "secured" || entry.details.backup === undefined) return entry;
  return { ...entry, details: { ...entry.details, backup: found(entry.details.backup, store) } };
}

/** The last line about an event of a move. */
export function lastMoveEvent<E extends MoveEventName>(events: readonly MoveEvent[], move: MoveId, event: E) {
  const isIt = (entry: MoveEvent): entry is Extract<MoveEvent, { event: E }> => entry.event === event;
  return events.filter(isIt).findLast((entry) => isSameMove(entry.move, move));
}

/** Whether a move ended, there or back: nothing of it is done again. */
export function isMoveOver(events: readonly MoveEvent[], move: MoveId): boolean {
  return lastMoveEvent(events, move, "done") !== undefined || lastMoveEvent(events, move, "rolledBack") !== undefined;
}
