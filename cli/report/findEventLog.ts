import fs from "node:fs";
import path from "node:path";
import { locateFiles } from "../../core/eventLog/eventLog";
import { isBucket } from "../../core/store/bucketPlace";
import { createDirectoryStore } from "../../core/store/directoryStore";
import { openStore } from "../../core/store/openStore";
import { resolveDataDirectory, resolvePlace } from "../../core/store/recordsDirectory";
import { commandsFor } from "../../core/util/commands";
import { formatProblem } from "../../core/util/problem";
import { CliRefusal } from "../terminal/refusal";
import { listStacks, type ParsedLog, parseEventLog } from "./buildReport";

interface FoundLog {
  /** Absolute path on this machine. */
  readonly directory: string;
  /** Place of the event log, for the operator. */
  readonly place: string;
  readonly log: ParsedLog;
  readonly stacks: readonly string[];
}

interface LogQuery {
  /** The directory of `--directory`; no other is searched. */
  readonly asked?: string | undefined;
  /** Reads the configured directory or bucket; undefined after `pulumi stack rm`, for example. */
  configured(): Promise<string | undefined>;
}

/**
 * Finds the event log that names a stack: in the requested directory, else the configured one, else the user's data
 * directory. @throws CliRefusal if there is none, or more than one
 */
export async function findEventLog(stack: string, { asked, configured }: LogQuery): Promise<FoundLog> {
  const given = asked ?? (await configured());
  const first = given === undefined ? [] : [isBucket(given) ? given : resolvePlace(given)];
  const isOnly = asked !== undefined || first.some(isBucket);
  const rest = isOnly ? [] : listDefaultDirectories().filter((directory) => !first.includes(directory));
  const logs: FoundLog[] = [];
  for (const places of [first, rest]) {
    logs.push(...(await Promise.all(places.map((place) => readLog(stack, place)))).flat());
    const [only, ...others] = logs.filter(({ stacks }) => stacks.includes(stack));
    if (only && others.length === 0) return only;
    if (only)
      throw new CliRefusal(
        formatProblem({
          what: `more than one event log names stack ${stack}`,
          found: [only, ...others].map(({ directory }) => directory),
          needed: `choose one of them: ${commandsFor(stack).report("--directory", "DIR")}`,
        }),
      );
  }
  const searched = [...first, ...rest];
  throw new CliRefusal(
    formatProblem({
      what: `no event log names stack ${stack}`,
      found: [
        searched.length > 0 && `searched ${searched.join(", ")}`,
        ...logs.map(({ place, stacks }) => stacks.length > 0 && `${place}, of ${stacks.join(", ")}`),
      ],
      needed: "run this as the user and on the machine of the runs, or pass the directory of record.jsonl:",
      next: [commandsFor(stack).report("--directory", "DIR"), `To begin a migration: ${commandsFor(stack).up}`],
    }),
  );
}

function listDefaultDirectories(): string[] {
  const base = path.join(resolveDataDirectory(), "records");
  return fs.existsSync(base) ? fs.readdirSync(base).map((name) => path.join(base, name)) : [];
}

async function readLog(stack: string, place: string): Promise<FoundLog[]> {
  const store = isBucket(place) ? openStore(place, stack) : createDirectoryStore(place);
  try {
    const { entries, unread } = parseEventLog((await store.readLines()).join("\n"), store.log);
    const log = { entries: entries.map((entry) => ("move" in entry ? locateFiles(entry, store) : entry)), unread };
    return [{ directory: store.directory, place: store.log, log, stacks: listStacks(entries) }];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return [];
    // An error without a code says that a newer program wrote the file.
    throw new CliRefusal(code === undefined ? message : store.formatError("read", error as Error));
  }
}
