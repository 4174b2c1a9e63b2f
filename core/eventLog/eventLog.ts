import fs from "node:fs";
import path from "node:path";
import type { StackConfig } from "../config/config.ts";
import { openStackStore } from "../config/stackStore.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import { resolveOwnIdentityPath } from "../store/storeDirectory.ts";
import type {
  Backup,
  EventBody,
  LogEntry,
  LogEvent,
  MoveEvent,
  MoveEventBody,
  MoveEventName,
  Optional,
} from "./events.ts";
import { findLastHash, storeHead } from "./logIntegrity.ts";
import { formatLine, parseLine } from "./logLine.ts";
import { isSameMove, type MoveId } from "./moveId.ts";

/** An event log's directory or bucket (core/store/storeDirectory.ts), and the stack that writes it. */
export type LogRef = Readonly<Record<"directory" | "stack" | "pillar", string>>;

export type EventLog = ReturnType<typeof openEventLog>;

/** Opens an event log. Each read and write throws in the operator's words, except the two that report a failure, once. */
export function openEventLog({ directory, stack, pillar }: LogRef, deps: { now(): number; say(line: string): void }) {
  const store = openStore(directory, stack);
  const at = () => new Date(deps.now()).toISOString();
  const read = () => readEvents(store, pillar);
  /** Adds an event without which the run must not go on. */
  const add = (news: EventBody) => appendEvent(store, { at: at(), stack, pillar, ...news });
  let lastReport: string | undefined;
  const report = ({ message }: Error) => {
    if (message !== lastReport) deps.say(message);
    lastReport = message;
  };
  return {
    store,
    read,
    add,
    /** Adds an event without which the run goes on; reports a failure. */
    note: (news: Optional<EventBody>) => add(news).catch(report),
    addMove: (move: MoveId, news: MoveEventBody) => appendEvent(store, { at: at(), move, ...news }),
    /** Adds events that the current log lacks, and returns them. Reports a failure; throws it if they are needed. */
    noteChanges: async <N extends Optional<EventBody>>(
      findChanges: (events: readonly LogEvent[]) => readonly N[],
      isNeeded = false,
    ) => {
      try {
        const news = findChanges(await read());
        for (const each of news) await add(each);
        return news;
      } catch (error) {
        if (isNeeded) throw error;
        report(error as Error);
        return [];
      }
    },
  };
}

/** Adds an event; it is stored once this resolves. @throws if it can't be written */
export async function appendEvent(store: Store, entry: LogEntry): Promise<void> {
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

/** Reads the events of the Pillar's stacks in a stack's own place. @throws as `readEvents` does */
export const readStackEvents = async (config: StackConfig) => readEvents(openStackStore(config), config.pillar.name);

/** Reads all events of a Pillar's stacks and moves, oldest first. @throws as `readEvents` does */
export async function readLog(store: Store, pillar: string): Promise<LogEntry[]> {
  const all = parseLines(await store.readLines(), store);
  return all.filter((entry) => ("stack" in entry ? entry : entry.move).pillar === pillar);
}

/** Reads all events of orchestrators' moves, oldest first. @throws as {@link readEvents} does */
export async function readMoveEvents(store: Store): Promise<MoveEvent[]> {
  return parseMoveEvents(await store.readLines(), store);
}

/** Parses the events of orchestrators' moves in these lines of a log. @throws if a newer program wrote one */
export function parseMoveEvents(lines: readonly string[], store: Store): MoveEvent[] {
  const events = parseLines(lines, store).filter((entry) => "move" in entry);
  return events.map((entry) => locateFiles(entry, store));
}

function parseLines(lines: readonly string[], { log }: Store): LogEntry[] {
  return lines.flatMap((line) => parseLine(line, log) ?? []);
}

/** Returns an event with the present places of its backup's files: somebody may have moved or copied them. */
export function locateFiles(entry: MoveEvent, store: Pick<Store, "directory" | "files">): MoveEvent {
  if (entry.event === "backup") return { ...entry, details: locateBackup(entry.details, store) };
  if (entry.event !== "secured" || entry.details.backup === undefined) return entry;
  return { ...entry, details: { ...entry.details, backup: locateBackup(entry.details.backup, store) } };
}

function locateBackup<T extends Backup>(backup: T, { directory, files }: Pick<Store, "directory" | "files">): T {
  const preferExisting = (file: string, otherwise: string) => (fs.existsSync(file) ? file : otherwise);
  const locate = (file: string) => {
    const name = path.basename(file);
    return preferExisting(path.join(directory, name), files === undefined ? file : files + name);
  };
  const { file, manifestFile, identityFile } = backup;
  const own = resolveOwnIdentityPath(directory);
  // The operator's own key never moves.
  const isOwn = path.basename(identityFile) === path.basename(own);
  return {
    ...backup,
    file: locate(file),
    manifestFile: locate(manifestFile),
    identityFile: isOwn ? preferExisting(own, identityFile) : identityFile,
  };
}

export function findLastMoveEvent<E extends MoveEventName>(events: readonly MoveEvent[], move: MoveId, event: E) {
  const isIt = (entry: MoveEvent): entry is Extract<MoveEvent, { event: E }> => entry.event === event;
  return events.filter(isIt).findLast((entry) => isSameMove(entry.move, move));
}

/** True if a move ended, forward or back: none of its steps runs again. */
export function isMoveOver(events: readonly MoveEvent[], move: MoveId): boolean {
  return events.some(({ event, move: each }) => (event === "done" || event === "rolledBack") && isSameMove(each, move));
}
