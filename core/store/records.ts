import fs from "node:fs";
import path from "node:path";
import { lockedNow } from "../util/lockedNow";
import { printableLines } from "../util/printable";
import {
  elsewhereText,
  isStoreFault,
  lostText,
  ownLinkText,
  type RecordPlaces,
  storeFault,
  takeOverFault,
} from "./contradiction";
import { dataDirectory, meantPlace, ownIdentityFile, pillarAt } from "./places";
import { kindOf, takenOver, takeOver } from "./takeOver";
import type { Disk } from "./wholeCopy";

/** What the store depends on. */
export interface StoreDeps {
  readonly disk: Disk;
  say(line: string): void;
}

const real: StoreDeps = { disk: fs, say: (line) => console.error(printableLines(line)) };

/**
 * The directory of records (event log, backups, orders, hashes of releases) as it is configured, absolute. The one way to
 * it: what an earlier version left in the checkout, the working directory, is brought there first, or this throws.
 *
 * @param configured an own directory of the operator's, or recordsWord
 * @throws storeFault where what lies there is not all, or contradicts what lies in the checkout
 */
export function recordsAt(configured: string, deps: StoreDeps = real): string {
  const directory = meantPlace(configured);
  const pillar = pillarAt(directory);
  if (pillar !== undefined) bringHere(sidesOf(pillar, directory), deps);
  return directory;
}

function sidesOf(pillar: string, records: string): RecordPlaces {
  const old = path.resolve("backups", pillar);
  return { pillar, old: { records: old, key: `${old}.age-identity` }, own: { records, key: ownIdentityFile(records) } };
}

function bringHere(sides: RecordPlaces, deps: StoreDeps): void {
  const { old, own, pillar } = sides;
  const { disk } = deps;
  const isToTake = () => {
    const records = kindOf(old.records, disk);
    const rest = records === "nothing" && takenOver(old.records, disk).length > 0;
    return records === "directory" || rest || kindOf(old.key, disk) === "file";
  };
  checkLink(sides, disk);
  if (!isToTake()) return;
  try {
    makePrivate(dataDirectory(), disk);
    const taken = lockedNow(path.join(dataDirectory(), `.${pillar}.lock`), (alive) =>
      // Another process may have done it while this one waited.
      isToTake() ? takeOver(sides, { disk, alive }) : false,
    );
    if (!taken) return;
  } catch (error) {
    if (isStoreFault(error)) throw error;
    throw storeFault(takeOverFault(sides, error as NodeJS.ErrnoException));
  }
  deps.say(
    `The records of ${pillar} were brought from ${old.records} to ${own.records}; the key of its backups lies in ${own.key}. Keep copies of both, apart from each other and from this machine.`,
  );
}

/** A link in the checkout tells where its records are: in no other place may a run look for them. */
function checkLink({ pillar, old, own }: RecordPlaces, disk: Disk): void {
  for (const link of [path.dirname(old.records), old.records]) {
    if (kindOf(link, disk) !== "link") continue;
    const target = path.resolve(path.dirname(link), disk.readlinkSync(link));
    if (!disk.existsSync(target)) throw storeFault(lostText(pillar, link, target));
    if (!disk.existsSync(old.records) || realOf(old.records, disk) === realOf(own.records, disk)) return;
    const isOurs = target.endsWith(path.join("pillar-host", "records", pillar));
    const place = link === old.records ? target : path.join(target, pillar);
    throw storeFault(isOurs ? elsewhereText(pillar, target, own.records) : ownLinkText(pillar, link, place));
  }
}

function realOf(file: string, disk: Disk): string | undefined {
  return disk.existsSync(file) ? disk.realpathSync(file) : undefined;
}

/** The user's alone, whoever made it. */
function makePrivate(directory: string, disk: Disk): void {
  disk.mkdirSync(directory, { recursive: true, mode: 0o700 });
  if ((disk.statSync(directory).mode & 0o077) !== 0) disk.chmodSync(directory, 0o700);
}
