import fs from "node:fs";
import path from "node:path";
import { appendEvent } from "../../eventLog/eventLog.ts";
import type { Backup } from "../../eventLog/events.ts";
import { formatMove, type MoveId } from "../../eventLog/moveId.ts";
import { markOwn } from "../../ssh/foreign.ts";
import type { RootHost } from "../../ssh/root.ts";
import { openStore } from "../../store/openStore.ts";
import type { Store } from "../../store/store.ts";
import type { Teller } from "../../util/clock.ts";
import { parseJson } from "../../util/parseJson.ts";
import { ProblemError } from "../../util/problem.ts";
import { writeNewFile } from "../../util/writeAtomically.ts";
import { findKeyShare } from "./archive.ts";
import {
  compareManifests,
  type FileSet,
  formatDifferences,
  type Manifest,
  quotePath,
  readManifest,
  sumManifest,
} from "./manifest.ts";
import { findGitCheckout, openIdentity, prove, type Sealed, seal } from "./vault.ts";

/** Place and key of a Pillar's backups, as configured. */
export interface BackupRef {
  readonly directory: string;
  /** File of the operator's age identity; if absent, the program makes its own. */
  readonly identityFile?: string | undefined;
  readonly move: MoveId;
}

export interface BackupSource {
  /** Part of the backup's file name: `first`, `last`, `asked`. */
  readonly label: string;
  readonly files: FileSet;
  /** Paths below the base that may change during the copy, with all below them. */
  readonly changing: readonly string[];
  /** True if a file must be whole JSON. */
  isJson(path: string): boolean;
}

/** Version of the list of entries beside an archive. */
export const manifestVersion = 1;

const maxAttempts = 5;
const retryDelayMs = 2000;
const limitSeconds = 12 * 3600;

/**
 * Takes a backup of a host's files and proves it (docs/specification.md, 1.2, step 2), even of a running orchestrator.
 * Each file of the archive must match the host's files before and after the copy, owner and mode too; else the backup
 * is taken again. JSON files must also be whole. Files that may change (logs, data bases that can be rebuilt) are
 * listed as the archive has them. @throws Error in the operator's words; then there is no new backup
 */
export async function takeBackup(root: RootHost, what: BackupSource, ref: BackupRef, deps: Teller) {
  const store = openStore(ref.directory);
  const { directory } = store;
  const stem = `${formatMove(ref.move).replaceAll(/[^A-Za-z0-9._-]+/g, "-")}-${what.label}`;
  const part = path.join(directory, `${stem}.${process.pid}.part`);
  const work = { root, what, store, part, deps };
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    removeOldParts(directory);
    const identity = await openIdentity(directory, ref.identityFile, deps.now);
    if (identity.isNew) {
      deps.say(`backup: made a key that opens the backups: ${identity.file}`);
      deps.say("backup: copy that key to a safe place away from this machine now: without it no backup can be opened");
      const checkout = findGitCheckout(identity.file);
      if (checkout) deps.say(`backup: WARNING: the key lies in the git checkout ${checkout}: never commit it`);
    }
    const sealed = await copyConsistently(work, identity.recipient);
    await prove(part, identity.secret, sealed.archive.manifest);
    const kept = await keepCopy(work, ref.move, stem, sealed);
    const backup: Backup = { ...kept, identityFile: identity.file, ...findKeyShare(sealed.archive) };
    const details = { label: what.label, ...backup };
    await appendEvent(store, { at: backup.provedAt, move: ref.move, event: "backup", details });
    const proved = `${backup.files} files, ${backup.bytes} bytes of ${root.address}, proved by decrypting: ${backup.file}`;
    deps.say(`backup: ${proved}`);
    return backup;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!/^E(NOSPC|DQUOT|ACCES|ROFS|NOTDIR|EXIST)$/.test(code ?? "")) throw error;
    throw new ProblemError({
      what: `the backup could not be written on this machine: ${directory}`,
      found: message,
      needed: "a writable directory with room for the backup (pillar-host:orchestrator.backup.directory)",
    });
  } finally {
    if (fs.existsSync(part)) fs.rmSync(part);
  }
}

/** Removes partial files of killed runs: no copy takes longer than its limit. */
function removeOldParts(directory: string): void {
  for (const name of fs.readdirSync(directory).filter((each) => each.endsWith(".part"))) {
    const file = path.join(directory, name);
    if (Date.now() - fs.statSync(file).mtimeMs > limitSeconds * 1000) fs.rmSync(file, { force: true });
  }
}

interface BackupWork {
  readonly root: RootHost;
  readonly what: BackupSource;
  readonly store: Store;
  /** Temporary file in the store's directory. */
  readonly part: string;
  readonly deps: Teller;
}

async function copyConsistently(work: BackupWork, recipient: string): Promise<Sealed> {
  const { root, what, part, deps } = work;
  for (let attempt = 1; ; attempt += 1) {
    const sealed = await copyArchive(work, recipient);
    if (!("problems" in sealed)) return sealed;
    fs.rmSync(part);
    const { base, paths } = what.files;
    if (attempt === maxAttempts)
      throw new ProblemError({
        what: `${root.address}: no consistent backup of ${base} could be taken in ${maxAttempts} attempts`,
        found: sealed.problems,
        needed: "files that do not change during the copy. Does something else write there?",
        next: `See it with: ls -lat ${path.posix.join(base, paths[0] ?? ".")}`,
      });
    deps.say(`backup: files changed while they were copied; taking it again (${attempt} of ${maxAttempts})`);
    await deps.sleep(retryDelayMs);
  }
}

async function copyArchive({ root, what, part }: BackupWork, recipient: string) {
  const before = await readManifest(root, what.files);
  const { base, paths } = what.files;
  const { stdout, done } = await root.stream("orchestrator_archive", markOwn({ base, paths }), { limitSeconds });
  done.catch(() => undefined);
  let sealed: Sealed;
  try {
    sealed = await seal(stdout, part, recipient, { keep: what.isJson, limitBytes: computeArchiveLimit(before) });
    await done;
  } catch (error) {
    // The host's own error says more than the broken stream's, but less than this machine's.
    if ((error as NodeJS.ErrnoException).code === undefined) await done;
    throw error;
  }
  const after = await readManifest(root, what.files);
  const { manifest, kept } = sealed.archive;
  const mayChange = (file: string) => what.changing.some((each) => file === each || file.startsWith(`${each}/`));
  const differences = [before, after].flatMap((listed) => compareManifests(listed, manifest, mayChange));
  // Without the JSON parser's message, which would quote the text.
  const broken = [...kept].flatMap(([file, { text }]) =>
    parseJson(text) === undefined ? `${quotePath(file)}: not whole JSON` : [],
  );
  const problems = [...new Set(formatDifferences(differences)), ...broken];
  return problems.length > 0 ? { problems } : sealed;
}

/** Returns the maximum size of an archive in bytes, with a tar entry's overhead: files may grow after they were listed. */
export function computeArchiveLimit(listed: Manifest): number {
  return 2 * sumManifest(listed).bytes + 4096 * listed.size + 256 * 1024 * 1024;
}

async function keepCopy({ root, what, store, part, deps }: BackupWork, move: MoveId, stem: string, sealed: Sealed) {
  const { manifest } = sealed.archive;
  const provedAt = new Date(deps.now()).toISOString();
  const name = `${stem}-${provedAt.replaceAll(/[:.]/g, "-")}`;
  const sums = { sealedBytes: sealed.bytes, sha256: sealed.sha256, ...sumManifest(manifest), provedAt };
  const file = await store.keep(part, `${name}.tar.age`);
  const list = {
    version: manifestVersion,
    move: formatMove(move),
    label: what.label,
    host: root.address,
    hostKey: root.hostKey,
    base: what.files.base,
    archive: path.basename(file),
    ...sums,
    mayHaveChanged: what.changing,
    entries: [...manifest.values()],
  };
  writeNewFile(part, `${JSON.stringify(list, undefined, 1)}\n`);
  return { file, manifestFile: await store.keep(part, `${name}.manifest.json`), ...sums };
}

/** True if a backup is still there, with the size that it had when it was proved. */
export async function isBackupKept(store: Store, backup: Pick<Backup, "file" | "manifestFile" | "sealedBytes">) {
  const [bytes, list] = await Promise.all([backup.file, backup.manifestFile].map((file) => store.readSize(file)));
  return bytes === backup.sealedBytes && list !== undefined;
}
