import fs from "node:fs";
import path from "node:path";
import { withFilesFound } from "../../core/eventLog/eventLog";
import { isBucket, placeInBucket } from "../../core/store/bucketPlace";
import { eventLogFile } from "../../core/store/directoryStore";
import { movedTo } from "../../core/store/moved";
import { dataDirectory, meantPlace } from "../../core/store/places";
import { storeAt } from "../../core/store/storeAt";
import { ofStack } from "../../core/store/storeFault";
import { commandsFor } from "../../core/util/commands";
import { CliRefusal } from "../refusal";
import { type Lines, linesOf } from "./lines";
import { stacksOf } from "./scope";

/** A record, and where it lies. */
export interface FoundLog {
  /** Absolute. */
  readonly directory: string;
  readonly lines: Lines;
}

/** Where the operator or the configuration says that it is. */
export interface LogQuery {
  /** `--directory`: nothing else is looked at. */
  readonly asked?: string | undefined;
  /** The configured one; undefined where the configuration can't be read, as after `pulumi stack rm`. */
  configured(): Promise<string | undefined>;
}

/**
 * Finds the record that knows a stack: where it is asked for, else where it is configured, else among those of the
 * user's data directory. State and configuration may be gone by now.
 *
 * @throws Refusal where there is none, or more than one
 */
export async function findRecord(stack: string, { asked, configured }: LogQuery): Promise<FoundLog> {
  const place = asked ?? (await configured());
  if (place !== undefined && isBucket(place)) {
    const at = await inBucket(stack, place);
    if (stacksOf(at.lines).includes(stack)) return at;
    throw new CliRefusal(nothingFound(stack, [place]));
  }
  const first = place === undefined ? [] : [asked === undefined ? meantPlace(place) : path.resolve(place)];
  const rest = asked === undefined ? ownDirectories() : [];
  const known = first.filter((directory) => knows(directory, stack));
  const others = rest.filter((directory) => knows(directory, stack));
  const found = known.length > 0 ? known : others;
  for (const directory of found.length === 0 ? [...first, ...rest] : []) {
    const address = movedTo(directory);
    const at =
      address === undefined ? undefined : await inBucket(stack, placeInBucket(address, path.basename(directory)));
    if (at && stacksOf(at.lines).includes(stack)) return at;
  }
  if (found.length > 1)
    throw new CliRefusal(
      [`stack ${stack} stands in more than one record`, ...found.map((each) => `  found: ${each}`)].join("\n") +
        `\n  needed: ${commandsFor(stack).report("--directory", "DIR")}, with one of them`,
    );
  const [directory] = found;
  const lines = directory === undefined ? undefined : readLines(directory);
  if (directory === undefined || lines === undefined) throw new CliRefusal(nothingFound(stack, [...first, ...rest]));
  return { directory, lines };
}

async function inBucket(stack: string, place: string): Promise<FoundLog> {
  const store = ofStack(stack, () => storeAt(place));
  const lines = linesOf((await store.lines()).join("\n"), store.log);
  return { directory: store.directory, lines: placedIn(lines, store) };
}

const placedIn = (lines: Lines, store: Parameters<typeof withFilesFound>[1]): Lines => ({
  ...lines,
  moves: lines.moves.map((entry) => withFilesFound(entry, store)),
});

function ownDirectories(): string[] {
  const base = path.join(dataDirectory(), "records");
  const found = fs.existsSync(base) ? fs.readdirSync(base, { withFileTypes: true }) : [];
  return found.filter((entry) => !entry.isFile()).map(({ name }) => path.join(base, name));
}

function knows(directory: string, stack: string): boolean {
  const lines = readLines(directory);
  return lines !== undefined && stacksOf(lines).includes(stack);
}

/** @returns undefined where there is no record */
function readLines(directory: string): Lines | undefined {
  const file = eventLogFile(directory);
  try {
    return placedIn(linesOf(fs.readFileSync(file, "utf8"), file), { directory });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    // Of a newer program's log: its own words.
    if (code === undefined) throw new CliRefusal(message);
    throw new CliRefusal(`the record can't be read: ${message}\n  needed: a file that you may read`);
  }
}

function nothingFound(stack: string, places: readonly string[]): string {
  const seen = places.flatMap((directory) => {
    const lines = readLines(directory);
    const stacks = lines === undefined ? [] : stacksOf(lines);
    return stacks.length > 0 ? [`  found: ${eventLogFile(directory)}, of ${stacks.join(", ")}`] : [];
  });
  return [
    `no record of a migration names stack ${stack}`,
    ...(places.length > 0 ? [`  looked in: ${places.join(", ")}`] : []),
    ...seen,
    "  needed: the machine, and its user, that the runs were made by, or --directory DIR with the one that holds",
    `  record.jsonl (beside the backups). Where nothing was done yet, to begin: ${commandsFor(stack).up}`,
  ].join("\n");
}
