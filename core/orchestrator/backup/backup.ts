import fs from "node:fs";
import path from "node:path";
import { appendEvent } from "../../eventLog/eventLog";
import type { Backup } from "../../eventLog/events";
import { moveText } from "../../eventLog/moveId";
import { own } from "../../ssh/foreign";
import type { RootHost } from "../../ssh/root";
import { writeWhole } from "../../util/writeAtomically";
import type { BackupSettings } from "./backupPlace";
import { keyShareOf } from "./keyShare";
import {
  compareManifests,
  type Difference,
  differenceLines,
  type Manifest,
  type Place,
  readManifest,
  shown,
  sumOf,
} from "./manifest";
import { identityFor, prove, seal } from "./vault";

/** What is backed up. */
export interface BackupOf {
  /** Stands in the file's name: `first`, `last`, `asked`. */
  readonly label: string;
  readonly place: Place;
  /** Paths below the base that may change meanwhile, with all below them: what can be rebuilt. None once it is stopped. */
  readonly changing: readonly string[];
  /** Says which files must be whole JSON. */
  isJson(path: string): boolean;
}

/** What a backup depends on. */
export interface BackupDeps {
  /** Unix milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  say(line: string): void;
}

/** Of the list of entries beside an archive. */
export const manifestVersion = 1;

const tries = 5;
const pause = 2000;
/** For the slowest of lines. */
const limitSeconds = 12 * 3600;

/**
 * Takes a backup off a host and proves it (docs/specification.md, 1.2, step 2).
 *
 * Consistent while the signer runs: the host's files are listed with their hashes before and after the copy, and every
 * file of the archive must be the same in both lists and in itself, owner and mode too; else it is taken again. Three
 * reads of config.json and key share that agree, and whole JSON, can't be half of a rewrite. What may change (logs and
 * data bases that can be rebuilt) is listed as the archive has it.
 *
 * @throws Error in the operator's words; then there is no new backup
 */
export async function takeBackup(
  root: RootHost,
  what: BackupOf,
  settings: BackupSettings,
  deps: BackupDeps,
): Promise<Backup> {
  const { store, move } = settings;
  const { directory } = store;
  const identity = await prepare(settings, deps.now).catch((error) => {
    throw new Error(inWords(error, directory));
  });
  if (identity.isNew) {
    deps.say(`backup: made a key that opens the backups: ${identity.file}`);
    deps.say("backup: copy it to a safe place away from this machine now: without it no backup can be opened");
  }
  const stem = path.join(directory, `${moveText(move).replaceAll(/[^A-Za-z0-9._-]+/g, "-")}-${what.label}`);
  const part = `${stem}.${process.pid}.part`;
  const mayChange = (file: string) => what.changing.some((each) => file === each || file.startsWith(`${each}/`));

  let wrong: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    // A killed run may have had this number, in a container above all.
    fs.rmSync(part, { force: true });
    try {
      const before = await readManifest(root, what.place);
      const sealed = await copy(root, what, part, identity.recipient, archiveLimit(before));
      const after = await readManifest(root, what.place);
      const manifest = sealed.archive.manifest();
      wrong = faultsOf(before, manifest, after, mayChange, sealed.archive.kept);
      if (wrong.length === 0) {
        await prove(part, identity.secret, manifest);
        const provedAt = new Date(deps.now()).toISOString();
        const name = path.basename(`${stem}-${provedAt.replaceAll(/[:.]/g, "-")}`);
        const kept = {
          file: await store.keep(part, `${name}.tar.age`),
          identityFile: identity.file,
          sealedBytes: sealed.bytes,
          sha256: sealed.sha256,
          ...sumOf(manifest),
          provedAt,
          ...keyShareOf(sealed.archive),
        };
        writeWhole(part, manifestText(root, what, settings, kept, manifest));
        const backup: Backup = { ...kept, manifestFile: await store.keep(part, `${name}.manifest.json`) };
        await appendEvent(store, { at: provedAt, move, event: "backup", details: { label: what.label, ...backup } });
        deps.say(
          `backup: ${backup.files} files, ${backup.bytes} bytes of ${root.address}, proved by decrypting: ${backup.file}`,
        );
        return backup;
      }
    } catch (error) {
      throw new Error(inWords(error as NodeJS.ErrnoException, directory));
    } finally {
      fs.rmSync(part, { force: true });
    }
    if (attempt === tries) break;
    deps.say(`backup: files changed while they were copied; taking it again (${attempt} of ${tries})`);
    await deps.sleep(pause);
  }
  throw new Error(
    [
      `${root.address}: no consistent backup could be taken of ${what.place.base}, ${tries} times`,
      ...wrong.map((line) => `  found: ${line}`),
      "  needed: files that stand still for the time of a copy. Does something else write there?",
      `  See it with: ls -lat ${path.posix.join(what.place.base, what.place.paths[0] ?? ".")}`,
    ].join("\n"),
  );
}

async function prepare({ store: { directory }, identityFile }: BackupSettings, now: () => number) {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  removeDeadParts(directory);
  return identityFor(directory, identityFile, now);
}

/** Removes what killed runs left of their writes; a run that lives keeps its own. */
function removeDeadParts(directory: string): void {
  for (const name of fs.readdirSync(directory)) {
    const pid = Number(/\.(\d+)\.part$/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) fs.rmSync(path.join(directory, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** A file's head and padding in an archive, with a long name. */
const headSize = 4096;
/** What may have grown since the list was made. */
const growth = 256 * 1024 * 1024;

/** The most bytes that an archive of listed files has. */
export function archiveLimit(listed: Manifest): number {
  return 2 * sumOf(listed).bytes + headSize * listed.size + growth;
}

async function copy(root: RootHost, { place, isJson }: BackupOf, part: string, recipient: string, limit: number) {
  const { base, paths } = place;
  const { stdout, done } = await root.stream("signer_archive", own({ base, paths }), { limitSeconds });
  // The host's words are the better reason, where it has one.
  const told = done.then(
    () => undefined,
    (error: Error) => error,
  );
  try {
    const sealed = await seal(stdout, part, recipient, isJson, limit);
    const failure = await told;
    if (failure) throw failure;
    return sealed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw (await told) ?? error;
  }
}

function faultsOf(
  before: Manifest,
  archive: Manifest,
  after: Manifest,
  mayChange: (file: string) => boolean,
  texts: ReadonlyMap<string, string>,
): string[] {
  const differences = new Map<string, Difference>();
  for (const side of [before, after])
    for (const difference of compareManifests(side, archive, mayChange)) differences.set(difference.path, difference);
  const lines = differenceLines([...differences.values()]);
  // Not the parser's words: they quote the text.
  for (const [file, text] of texts) if (!isJsonText(text)) lines.push(`${shown(file)}: not whole JSON`);
  return lines;
}

/** Whether a text is JSON. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function manifestText(
  { address, hostKey }: RootHost,
  what: BackupOf,
  { move }: BackupSettings,
  backup: Omit<Backup, "manifestFile">,
  manifest: Manifest,
): string {
  const { file, sealedBytes, sha256, files, bytes, provedAt } = backup;
  const archive = { name: path.basename(file), bytes: sealedBytes, sha256 };
  const head = {
    version: manifestVersion,
    move: moveText(move),
    label: what.label,
    host: address,
    hostKey,
    base: what.place.base,
    archive,
    files,
    bytes,
    provedAt,
  };
  return `${JSON.stringify({ ...head, mayHaveChanged: what.changing, entries: [...manifest.values()] }, undefined, 1)}\n`;
}

function inWords(error: NodeJS.ErrnoException, directory: string): string {
  const found: Record<string, string> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is used up",
    EACCES: "it may not be written",
    EROFS: "it may not be written",
    ENOTDIR: "a file is in the way",
    EEXIST: "a file is in the way",
  };
  const reason = found[error.code ?? ""];
  if (reason === undefined) return error.message;
  return [
    `the backup could not be written on this machine: ${directory}`,
    `  found: ${reason}`,
    "  needed: room for it, or another directory (pillar-host:orchestrator.backup.directory)",
  ].join("\n");
}
