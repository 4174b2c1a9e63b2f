import fs from "node:fs";
import path from "node:path";
import { withFilesFound } from "../../core/eventLog/eventLog";
import { isBucket } from "../../core/store/bucketPlace";
import { eventLogPath } from "../../core/store/directoryStore";
import { openStore } from "../../core/store/openStore";
import { dataDirectory, resolvePlace } from "../../core/store/recordsDirectory";
import { openForStack } from "../../core/store/storeFault";
import { commandsFor } from "../../core/util/commands";
import { CliRefusal } from "../terminal/refusal";
import { listStacks, type ParsedLog, parseEventLog } from "./buildReport";

/** An event log, and the absolute directory or bucket that holds it. */
interface FoundLog {
  readonly directory: string;
  readonly lines: ParsedLog;
}

/** The location from `--directory` and from the configuration; undefined after `pulumi stack rm`, for example. */
interface LogQuery {
  readonly asked?: string | undefined;
  configured(): Promise<string | undefined>;
}

/**
 * Finds the event log that names a stack: in the requested directory, else the configured one, else the user's data
 * directory. @throws Refusal if there is none, or more than one
 */
export async function findEventLog(stack: string, { asked, configured }: LogQuery): Promise<FoundLog> {
  const place = asked ?? (await configured());
  if (place !== undefined && isBucket(place)) {
    const inPlace = await readBucket(stack, place);
    if (inPlace) return inPlace;
    throw new CliRefusal(formatNothingFound(stack, [place]));
  }
  const first = place === undefined ? [] : [asked === undefined ? resolvePlace(place) : path.resolve(place)];
  const rest = asked === undefined ? listEventLogs().filter((directory) => !first.includes(directory)) : [];
  const named = first.flatMap((directory) => readLogOfStack(directory, stack));
  const found = named.length > 0 ? named : rest.flatMap((directory) => readLogOfStack(directory, stack));
  if (found.length > 1)
    throw new CliRefusal(
      `${[
        `stack ${stack} stands in more than one record`,
        ...found.map(({ directory }) => `  found: ${directory}`),
      ].join("\n")}\n  needed: ${commandsFor(stack).report("--directory", "DIR")}, with one of them`,
    );
  if (found[0]) return found[0];
  throw new CliRefusal(formatNothingFound(stack, [...first, ...rest]));
}

async function readBucket(stack: string, place: string): Promise<FoundLog | undefined> {
  const store = openForStack(stack, () => openStore(place));
  const lines = placeFiles(parseEventLog((await store.readLines()).join("\n"), store.log), store);
  return listStacks(lines.entries).includes(stack) ? { directory: store.directory, lines } : undefined;
}

const placeFiles = (log: ParsedLog, store: Parameters<typeof withFilesFound>[1]): ParsedLog => ({
  ...log,
  entries: log.entries.map((entry) => ("move" in entry ? withFilesFound(entry, store) : entry)),
});

function listEventLogs(): string[] {
  const base = path.join(dataDirectory(), "records");
  return fs.existsSync(base) ? fs.readdirSync(base).map((name) => path.join(base, name)) : [];
}

function readLogOfStack(directory: string, stack: string): FoundLog[] {
  const lines = readLog(directory);
  return lines && listStacks(lines.entries).includes(stack) ? [{ directory, lines }] : [];
}

function readLog(directory: string): ParsedLog | undefined {
  const file = eventLogPath(directory);
  try {
    return placeFiles(parseEventLog(fs.readFileSync(file, "utf8"), file), { directory });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    // An error without a code says that a newer program wrote the file.
    if (code === undefined) throw new CliRefusal(message);
    throw new CliRefusal(`the record can't be read: ${message}\n  needed: a file that you may read`);
  }
}

function formatNothingFound(stack: string, places: readonly string[]): string {
  const others = places.flatMap((directory) => {
    const stacks = listStacks(readLog(directory)?.entries ?? []);
    return stacks.length > 0 ? [`  found: ${eventLogPath(directory)}, of ${stacks.join(", ")}`] : [];
  });
  return [
    `no record of a migration names stack ${stack}`,
    ...(places.length > 0 ? [`  looked in: ${places.join(", ")}`] : []),
    ...others,
    "  needed: run it as the user and on the machine that made the runs, or pass --directory DIR with the directory that",
    `  holds record.jsonl (beside the backups). To begin a migration: ${commandsFor(stack).up}`,
  ].join("\n");
}
