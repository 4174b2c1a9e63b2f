import fs from "node:fs";
import path from "node:path";
import { appendEvent } from "../../eventLog/eventLog";
import type { Backup } from "../../eventLog/events";
import { formatMove } from "../../eventLog/moveId";
import { markOwn } from "../../ssh/foreign";
import type { RootHost } from "../../ssh/root";
import { formatProblem } from "../../util/problem";
import { writeNewFile } from "../../util/writeAtomically";
import type { BackupSettings } from "./backupPlace";
import { findKeyShare } from "./keyShare";
import {
  compareManifests,
  type Difference,
  formatDifferences,
  type Manifest,
  type Place,
  quotePath,
  readManifest,
  sumManifest,
} from "./manifest";
import { type Identity, openIdentity, prove, type Sealed, seal } from "./vault";

export interface BackupSource {
  /** Part of the backup's file name: `first`, `last`, `asked`. */
  readonly label: string;
  readonly place: Place;
  /** Paths below the base that may change during the copy, with all below them. */
  readonly changing: readonly string[];
  /** True if a file must be whole JSON. */
  isJson(path: string): boolean;
}

export interface BackupDeps {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  say(line: string): void;
}

/** Version of the list of entries beside an archive. */
export const manifestVersion = 1;

const maxAttempts = 5;
const retryDelayMs = 2000;
const limitSeconds = 12 * 3600;

/**
 * Takes a backup of a host's files and proves it (docs/specification.md, 1.2, step 2), even of a running orchestrator.
 * Each file of the archive must match the host's files before and after the copy, owner and mode too; else the backup
 * is taken again. JSON files must also be whole. Files that may change (logs, data bases that can be rebuilt) are listed
 * as the archive has them.
 *
 * @throws Error in the operator's words; then there is no new backup
 */
export async function takeBackup(
  root: RootHost,
  what: BackupSource,
  settings: BackupSettings,
  deps: BackupDeps,
): Promise<Backup> {
  const { directory } = settings.store;
  const identity = await prepare(settings, deps).catch((error) => {
    throw new Error(describeError(error, directory));
  });
  const stem = path.join(directory, `${formatMove(settings.move).replaceAll(/[^A-Za-z0-9._-]+/g, "-")}-${what.label}`);
  const part = `${stem}.${process.pid}.part`;

  let problems: readonly string[] = [];
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (attempt > 1) {
      deps.say(`backup: files changed while they were copied; taking it again (${attempt - 1} of ${maxAttempts})`);
      await deps.sleep(retryDelayMs);
    }
    // A killed run may have left this file: process ids repeat, mainly in containers.
    fs.rmSync(part, { force: true });
    try {
      const copy = await copyArchive(root, what, part, identity);
      if (copy.problems.length === 0)
        return await keepBackup({ root, what, settings, deps, identity, stem, part, ...copy });
      problems = copy.problems;
    } catch (error) {
      throw new Error(describeError(error as NodeJS.ErrnoException, directory));
    } finally {
      fs.rmSync(part, { force: true });
    }
  }
  throw new Error(
    formatProblem({
      what: `${root.address}: no consistent backup of ${what.place.base} could be taken in ${maxAttempts} attempts`,
      found: problems,
      needed: "files that do not change during the copy. Does something else write there?",
      next: `See it with: ls -lat ${path.posix.join(what.place.base, what.place.paths[0] ?? ".")}`,
    }),
  );
}

async function prepare({ store: { directory }, identityFile }: BackupSettings, deps: BackupDeps): Promise<Identity> {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  removeDeadParts(directory);
  const identity = await openIdentity(directory, identityFile, deps.now);
  if (identity.isNew) {
    deps.say(`backup: made a key that opens the backups: ${identity.file}`);
    deps.say("backup: copy that key to a safe place away from this machine now: without it no backup can be opened");
  }
  return identity;
}

/** Removes partial files of killed runs; keeps those of running ones. */
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

interface ArchiveCopy {
  readonly sealed: Sealed;
  readonly manifest: Manifest;
  /** Empty if the copy is consistent. */
  readonly problems: readonly string[];
}

async function copyArchive(
  root: RootHost,
  what: BackupSource,
  part: string,
  { recipient }: Identity,
): Promise<ArchiveCopy> {
  const before = await readManifest(root, what.place);
  const { base, paths } = what.place;
  const { stdout, done } = await root.stream("signer_archive", markOwn({ base, paths }), { limitSeconds });
  const hostError = done.then(
    () => undefined,
    (error: Error) => error,
  );
  let sealed: Sealed;
  try {
    sealed = await seal({
      source: stdout,
      file: part,
      recipient,
      keep: what.isJson,
      limitBytes: computeArchiveLimit(before),
    });
    const failure = await hostError;
    if (failure) throw failure;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
    // The host's own error says more than the broken stream's.
    throw (await hostError) ?? error;
  }
  const after = await readManifest(root, what.place);
  const manifest = sealed.archive.manifest();
  const mayChange = (file: string) => what.changing.some((each) => file === each || file.startsWith(`${each}/`));
  const differences = new Map<string, Difference>();
  for (const difference of [before, after].flatMap((listed) => compareManifests(listed, manifest, mayChange)))
    differences.set(difference.path, difference);
  // Without the JSON parser's message, which would quote the text.
  const broken = [...sealed.archive.kept].filter(([, text]) => !isJsonText(text));
  const problems = [
    ...formatDifferences([...differences.values()]),
    ...broken.map(([file]) => `${quotePath(file)}: not whole JSON`),
  ];
  return { sealed, manifest, problems };
}

const tarEntryOverheadBytes = 4096;
/** Files may grow after they were listed. */
const growthBytes = 256 * 1024 * 1024;

/** Returns the maximum size of an archive in bytes. */
export function computeArchiveLimit(listed: Manifest): number {
  return 2 * sumManifest(listed).bytes + tarEntryOverheadBytes * listed.size + growthBytes;
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface CompleteCopy extends ArchiveCopy {
  readonly root: RootHost;
  readonly what: BackupSource;
  readonly settings: BackupSettings;
  readonly deps: BackupDeps;
  readonly identity: Identity;
  /** Path of the backup without time and extension. */
  readonly stem: string;
  readonly part: string;
}

/** Proves a consistent copy, stores it with its manifest, and logs it. */
async function keepBackup(copy: CompleteCopy): Promise<Backup> {
  const { root, what, deps, identity, part, sealed, manifest } = copy;
  const { store, move } = copy.settings;
  await prove(part, identity.secret, manifest);
  const provedAt = new Date(deps.now()).toISOString();
  const name = path.basename(`${copy.stem}-${provedAt.replaceAll(/[:.]/g, "-")}`);
  const archived = {
    file: await store.keep(part, `${name}.tar.age`),
    identityFile: identity.file,
    sealedBytes: sealed.bytes,
    sha256: sealed.sha256,
    ...sumManifest(manifest),
    provedAt,
    ...findKeyShare(sealed.archive),
  };
  writeNewFile(part, manifestText(copy, archived));
  const backup: Backup = { ...archived, manifestFile: await store.keep(part, `${name}.manifest.json`) };
  await appendEvent(store, { at: provedAt, move, event: "backup", details: { label: what.label, ...backup } });
  deps.say(
    `backup: ${backup.files} files, ${backup.bytes} bytes of ${root.address}, proved by decrypting: ${backup.file}`,
  );
  return backup;
}

function manifestText({ root, what, settings, manifest }: CompleteCopy, backup: Omit<Backup, "manifestFile">): string {
  const { file, sealedBytes, sha256, files, bytes, provedAt } = backup;
  const content = {
    version: manifestVersion,
    move: formatMove(settings.move),
    label: what.label,
    host: root.address,
    hostKey: root.hostKey,
    base: what.place.base,
    archive: { name: path.basename(file), bytes: sealedBytes, sha256 },
    files,
    bytes,
    provedAt,
    mayHaveChanged: what.changing,
    entries: [...manifest.values()],
  };
  return `${JSON.stringify(content, undefined, 1)}\n`;
}

const fileErrors: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "it may not be written",
  EROFS: "it may not be written",
  ENOTDIR: "a file is in the way",
  EEXIST: "a file is in the way",
};

function describeError(error: NodeJS.ErrnoException, directory: string): string {
  const reason = fileErrors[error.code ?? ""];
  if (reason === undefined) return error.message;
  return formatProblem({
    what: `the backup could not be written on this machine: ${directory}`,
    found: reason,
    needed: "a writable directory with room for the backup (pillar-host:orchestrator.backup.directory)",
  });
}
