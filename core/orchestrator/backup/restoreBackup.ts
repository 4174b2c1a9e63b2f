import crypto from "node:crypto";
import fs from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { parseMove } from "../../eventLog/moveId.ts";
import { isKeyShare } from "../../host/shareFileName.ts";
import { openStore } from "../../store/openStore.ts";
import { resolveStoreDirectory } from "../../store/storeDirectory.ts";
import { ProblemError } from "../../util/problem.ts";
import { resolvePath } from "../../util/resolvePath.ts";
import { type Archive, findKeyShare, readArchive } from "./archive.ts";
import { type BackupRef, manifestVersion } from "./backup.ts";
import { compareManifests, createManifest, formatDifferences, type WrittenList } from "./manifest.ts";
import { decryptBackup, readIdentity, resolveIdentityPath } from "./vault.ts";

/** A proved backup, without its secrets. `inside` is the orchestrator's directory in the archive, `files` are below it. */
export type BackupContent = Awaited<ReturnType<typeof readBackup>>;

/**
 * Decrypts a whole backup, and compares every file with the list beside the archive. @param file path on this machine,
 * or name or address of a file in the store @throws Error in the operator's words
 */
export async function readBackup(file: string, ref: BackupRef) {
  const fail = (found: string | readonly string[], needed: string) =>
    new ProblemError({ what: `the backup can't be restored: ${file}`, found, needed });
  let list: WrittenList;
  let archive: Archive;
  try {
    const { directory } = ref;
    list = JSON.parse(await text(await openKept(file.replace(/\.tar\.age$/, ".manifest.json"), directory)));
    archive = await readArchive(await openArchive(file, ref), isKeyShare);
  } catch (error) {
    const key = resolveIdentity(ref);
    throw fail((error as Error).message, `the file, its .manifest.json beside it, and the key that opens it: ${key}`);
  }
  if (list.version !== manifestVersion) throw fail(`version ${list.version}`, `a list of version ${manifestVersion}`);
  const { pillar } = parseMove(list.move) ?? {};
  if (pillar !== ref.move.pillar)
    throw fail(`a backup of Pillar ${pillar}`, `give a backup of Pillar ${ref.move.pillar}`);
  const differences = compareManifests(createManifest(list.entries), archive.manifest);
  if (differences.length > 0)
    throw fail(formatDifferences(differences), "use another backup: the files of this one differ from its list");
  const inside = list.entries.find(({ path }) => path.endsWith("/.orchestrator"))?.path;
  if (inside === undefined)
    throw fail("a part of the orchestrator's directory", "give a whole backup: its name has -asked- or -first-");
  const files = list.entries.flatMap((entry) => {
    if (entry.path === inside) return [{ ...entry, path: "." }];
    return entry.path.startsWith(`${inside}/`) ? [{ ...entry, path: entry.path.slice(inside.length + 1) }] : [];
  });
  const { host, hostKey, provedAt } = list;
  return { host, hostKey, provedAt, inside, files: createManifest(files), ...findKeyShare(archive) };
}

async function openKept(file: string, directory: string): Promise<Readable> {
  const here = resolvePath(file);
  // A device would give bytes without end.
  return fs.statSync(here, { throwIfNoEntry: false })?.isFile()
    ? fs.createReadStream(here)
    : openStore(directory).open(file);
}

const resolveIdentity = ({ directory, identityFile }: BackupRef) =>
  resolveIdentityPath(resolveStoreDirectory(directory), identityFile);

async function openArchive(file: string, ref: BackupRef): Promise<Readable> {
  const { secret } = await readIdentity(resolveIdentity(ref));
  return decryptBackup(await openKept(file, ref.directory), secret);
}

const pieceBytes = 4 * 1024 * 1024;

/**
 * Decrypts a backup's archive, and sends it in pieces in base64, encrypted again as `openssl enc -aes-256-ctr -pbkdf2`
 * does. Returns the key, which is only in this run's memory: what a killed run leaves on the host, nobody can read.
 */
export async function sendBackup(
  file: string,
  ref: BackupRef,
  send: (offset: number, piece: string) => Promise<unknown>,
): Promise<string> {
  const [key, salt] = [crypto.randomBytes(32).toString("hex"), crypto.randomBytes(8)];
  const derived = crypto.pbkdf2Sync(key, salt, 10_000, 48, "sha256");
  const cipher = crypto.createCipheriv("aes-256-ctr", derived.subarray(0, 32), derived.subarray(32));
  let sent = 0;
  let waiting: Buffer[] = [Buffer.from("Salted__"), salt];
  let bytes = 16;
  const flush = async () => {
    await send(sent, Buffer.concat(waiting).toString("base64"));
    [sent, bytes, waiting] = [sent + bytes, 0, []];
  };
  for await (const chunk of await openArchive(file, ref)) {
    waiting.push(cipher.update(chunk as Buffer));
    bytes += (chunk as Buffer).length;
    if (bytes >= pieceBytes) await flush();
  }
  await flush();
  return key;
}
