import path from "node:path";
import { syncDirectory } from "../util/writeAtomically";
import { contradiction, type RecordPlaces } from "./contradiction";
import { copyWhole, type Disk, hashOf, partName } from "./wholeCopy";

/** What a take-over depends on. */
export interface TakeOverDeps {
  readonly disk: Disk;
  /** Called every few seconds while it is at work. */
  alive(): void;
}

const logName = "record.jsonl";
/** How a directory is called that was taken over; what lies in it is not looked at again. */
const aside = ".taken-over";

/** What can be made again: a newer one is kept. */
const madeAgain = /^(releases\.json|report-.*\.(html|json))$/;
/** What a killed run left: of no use to anybody. */
const leftOver = /\.(part|new)$/;

/**
 * Brings what an earlier version left in the checkout to its own place: each file is copied whole, compared, and on the
 * disk, before the old directory is set aside and a link takes its place. The link is for code of that version, which
 * states hold until the next up, and for the paths in its lines. Killed anywhere, the next call goes on; nothing is lost
 * before all of it lies in the new place.
 *
 * @returns whether anything was taken over
 * @throws a contradiction, before anything is set aside, and what the disk has to say
 */
export function takeOver(sides: RecordPlaces, deps: TakeOverDeps): boolean {
  const { disk } = deps;
  const before = { records: kindOf(sides.old.records, disk), key: kindOf(sides.old.key, disk) };
  for (const file of [sides.own.records, path.dirname(sides.own.key)])
    disk.mkdirSync(file, { recursive: true, mode: 0o700 });
  const key = before.key === "file" ? [{ from: sides.old.key, to: sides.own.key }] : [];
  take([...key, ...(before.records === "directory" ? filesOf(sides.old.records, sides, disk) : [])], sides, deps);
  if (before.records === "directory") {
    disk.renameSync(sides.old.records, freeName(sides.old.records, disk));
    syncDirectory(path.dirname(sides.old.records), disk);
  }
  if (before.records !== "link") {
    const last = takenOver(sides.old.records, disk).at(-1);
    if (last !== undefined) {
      // What a run of the earlier version wrote until a moment ago.
      take(filesOf(last, sides, disk), sides, deps);
      link(sides.own.records, sides.old.records, disk);
    }
  }
  if (before.key === "file") replaceByLink(sides.own.key, sides.old.key, disk);
  return before.records === "directory" || before.key === "file";
}

/** What lies at a path, itself. */
export function kindOf(file: string, disk: Disk): "nothing" | "link" | "directory" | "file" {
  let found: ReturnType<Disk["lstatSync"]>;
  try {
    found = disk.lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // A file stands where its directory would be.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return "nothing";
    throw error;
  }
  if (found === undefined) return "nothing";
  if (found.isSymbolicLink()) return "link";
  return found.isDirectory() ? "directory" : "file";
}

/** The directories that were set aside in the place of this one, the oldest first. */
export function takenOver(directory: string, disk: Disk): string[] {
  const found: string[] = [];
  for (let each = `${directory}${aside}`; disk.existsSync(each); each = `${directory}${aside}-${found.length + 1}`)
    found.push(each);
  return found;
}

/** Whether a directory is one that was taken over (pure). */
export function isTakenOver(directory: string): boolean {
  return /\.taken-over(-\d+)?$/.test(directory);
}

function freeName(directory: string, disk: Disk): string {
  const count = takenOver(directory, disk).length;
  return count === 0 ? `${directory}${aside}` : `${directory}${aside}-${count + 1}`;
}

interface Taken {
  readonly from: string;
  readonly to: string;
}

/** The log last: it names no backup that is not there yet. */
function filesOf(from: string, { own }: RecordPlaces, disk: Disk): Taken[] {
  const names = disk.readdirSync(from, { withFileTypes: true }).flatMap((entry) =>
    // Directories are locks of processes, or the operator's own: they stay where they are.
    entry.isFile() && !leftOver.test(entry.name) ? [entry.name] : [],
  );
  const inOrder = names.toSorted((a, b) => Number(a === logName) - Number(b === logName));
  return inOrder.map((name) => ({ from: path.join(from, name), to: path.join(own.records, name) }));
}

/** All of them are looked at before the first is written. */
function take(files: readonly Taken[], sides: RecordPlaces, { disk, alive }: TakeOverDeps): void {
  const missing = files.filter(({ to }) => kindOf(to, disk) === "nothing");
  const rests = files.flatMap(({ from, to }) => {
    const name = path.basename(from);
    if (missing.some((each) => each.to === to) || madeAgain.test(name)) return [];
    if (name === logName) return [{ to, rest: restOf(from, to, sides, disk) }];
    if (hashOf(from, disk, alive) === hashOf(to, disk, alive)) return [];
    throw contradiction(sides, `${from} and ${to} are not the same`);
  });
  // Of a run that was killed when its copy was whole.
  for (const { to } of files) disk.rmSync(partName(to), { force: true });
  for (const { from, to } of missing) copyWhole(from, to, disk, alive);
  for (const { to, rest } of rests) append(to, rest, disk);
}

/** A log is only ever added to: one that begins with all of the other goes on from it. */
function restOf(from: string, to: string, sides: RecordPlaces, disk: Disk): Buffer {
  const [theirs, own] = [disk.readFileSync(from), disk.readFileSync(to)];
  if (own.subarray(0, theirs.length).equals(theirs)) return Buffer.alloc(0);
  if (theirs.subarray(0, own.length).equals(own)) return theirs.subarray(own.length);
  const line = 1 + commonLines(theirs.toString(), own.toString());
  throw contradiction(sides, `${from} and ${to}, which differ from line ${line} on`);
}

function append(file: string, bytes: Buffer, disk: Disk): void {
  if (bytes.length === 0) return;
  const handle = disk.openSync(file, "a", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += disk.writeSync(handle, bytes, done);
    disk.fsyncSync(handle);
  } finally {
    disk.closeSync(handle);
  }
}

function commonLines(one: string, other: string): number {
  const [lines, others] = [one.split("\n"), other.split("\n")];
  const first = lines.findIndex((line, i) => line !== others[i]);
  return first === -1 ? lines.length : first;
}

function link(target: string, place: string, disk: Disk): void {
  try {
    disk.symlinkSync(target, place);
  } catch (error) {
    // A run of the earlier version has made its directory anew: the next call takes that over.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncDirectory(path.dirname(place), disk);
}

/** In one step: a key that is nowhere for a moment would be made anew. */
function replaceByLink(target: string, place: string, disk: Disk): void {
  const part = `${place}.part`;
  disk.rmSync(part, { force: true });
  disk.symlinkSync(target, part);
  disk.renameSync(part, place);
  syncDirectory(path.dirname(place), disk);
}
