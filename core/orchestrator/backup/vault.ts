import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { PassThrough, Readable, Transform, type TransformCallback } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { resolveOwnIdentityPath } from "../../store/recordsDirectory";
import { formatProblem } from "../../util/problem";
import { readSmallFile } from "../../util/readSmallFile";
import { writeNewFile } from "../../util/writeAtomically";
import { type ArchiveReader, readArchive } from "./archive";
import { compareManifests, formatDifferences, type Manifest } from "./manifest";

/** An age identity (https://age-encryption.org). */
export interface Identity {
  readonly file: string;
  /** True if it was just made: the operator has to copy it elsewhere. */
  readonly isNew: boolean;
  readonly recipient: string;
  /** The line `AGE-SECRET-KEY-1…` of the identity file; no state or log has it. */
  readonly secret: string;
}

/** Reads the identity file, or the program's own, made on first use. @throws Error if there is no usable identity */
export async function openIdentity(
  directory: string,
  configured: string | undefined,
  now: () => number,
): Promise<Identity> {
  const age = await import("age-encryption");
  const file = configured ?? resolveOwnIdentityPath(directory);
  const isNew = configured === undefined && !fs.existsSync(file);
  if (isNew) {
    const secret = await age.generateX25519Identity();
    const recipient = await age.identityToRecipient(secret);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeNewFile(file, `# created: ${new Date(now()).toISOString()}\n# public key: ${recipient}\n${secret}\n`);
  }
  return { file, isNew, ...(await readIdentity(file)) };
}

export async function readIdentity(file: string): Promise<Pick<Identity, "recipient" | "secret">> {
  const age = await import("age-encryption");
  let text: string;
  try {
    ({ text } = readSmallFile(file));
  } catch (error) {
    throw new Error(identityFault(file, `it ${(error as Error).message}`));
  }
  const secret = text
    .split("\n")
    .find((line) => line.startsWith("AGE-SECRET-KEY-"))
    ?.trim();
  if (secret === undefined) {
    const isSealed = /^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED)/.test(text);
    throw new Error(identityFault(file, isSealed ? "a file that is encrypted itself" : "no line AGE-SECRET-KEY-1…"));
  }
  try {
    return { secret, recipient: await age.identityToRecipient(secret) };
  } catch {
    throw new Error(identityFault(file, "a damaged AGE-SECRET-KEY-1… line"));
  }
}

function identityFault(file: string, found: string): string {
  return formatProblem({
    what: `the backup's identity file can't be used: ${file}`,
    found,
    needed: "an age identity in plain text, as age-keygen writes it (pillar-host:orchestrator.backup.identityFile)",
    next: "Make one with: age-keygen -o FILE, or remove that setting from the configuration: the program makes its own",
  });
}

export interface Sealed {
  readonly archive: ArchiveReader;
  /** Size of the encrypted file. */
  readonly bytes: number;
  readonly sha256: string;
}

interface SealOptions {
  readonly source: Readable;
  readonly file: string;
  readonly recipient: string;
  readonly keep: (path: string) => boolean;
  /** Maximum: an endless stream would fill this machine's disk. */
  readonly limitBytes: number;
}

/** Encrypts an archive into a new file (mode 0600, flushed to the disk) and parses it on the way. */
export async function seal({ source, file, recipient, keep, limitBytes }: SealOptions): Promise<Sealed> {
  const age = await import("age-encryption");
  const encrypter = new age.Encrypter();
  encrypter.addRecipient(recipient);
  const archive = await readArchive(keep);
  const tap = createTap(archive, limitBytes);
  const hash = crypto.createHash("sha256");
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, next) => {
      hash.update(chunk);
      bytes += chunk.length;
      next(null, chunk);
    },
  });
  const taking = pipeline(source, tap);
  // The second pipeline does not end by itself if this one fails.
  taking.catch((error) => counted.destroy(error));
  // Without a listener an error event, which may come before the pipeline below, would end the process.
  counted.on("error", () => undefined);
  try {
    const sealed = await encrypter.encrypt(toWebStream(tap));
    if (counted.errored) throw counted.errored;
    const target = await fs.promises.open(file, "wx", 0o600);
    await pipeline(
      Readable.fromWeb(sealed as ReadableStream<Uint8Array>),
      counted,
      target.createWriteStream({ flush: true }),
    );
    await taking;
  } catch (error) {
    source.destroy();
    tap.destroy();
    await taking.catch(() => undefined);
    throw error;
  }
  return { archive, bytes, sha256: hash.digest("hex") };
}

function toWebStream(stream: Readable) {
  return Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>;
}

/** Passes an archive on unchanged and gives it to the reader, too. */
function createTap(archive: ArchiveReader, limitBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, next: TransformCallback) => {
      size += chunk.length;
      if (size > limitBytes) {
        next(new Error(`the archive is larger than the files that were listed: more than ${limitBytes} bytes`));
        return;
      }
      archive.input.write(chunk, (error) => next(error ?? null, chunk));
    },
    flush: (next) => {
      archive.input.end();
      finished(archive.input).then(
        () => next(),
        (error: Error) => next(error),
      );
    },
  });
}

/** Decrypts a backup. The stream fails if it is damaged or was made for another identity. */
export async function decryptBackup(sealed: Readable, secret: string): Promise<Readable> {
  const age = await import("age-encryption");
  const decrypter = new age.Decrypter();
  decrypter.addIdentity(secret);
  const plain = await decrypter.decrypt(toWebStream(sealed));
  return Readable.fromWeb(plain as ReadableStream<Uint8Array>);
}

/** True if an identity file opens a backup; decrypts only the head. */
export async function canOpen(sealed: Readable, identityFile: string): Promise<boolean> {
  try {
    const { secret } = await readIdentity(identityFile);
    (await decryptBackup(sealed, secret)).destroy();
    return true;
  } catch {
    return false;
  } finally {
    sealed.destroy();
  }
}

/** Decrypts a backup and compares every entry. @throws Error that names the differences */
export async function prove(file: string, secret: string, expected: Manifest): Promise<void> {
  const archive = await readArchive();
  const createError = (found: readonly string[]) =>
    new Error(
      formatProblem({
        what: `the backup could not be proved: ${file}`,
        found,
        needed: "every file as it was read on the host. Is the disk of this machine sound?",
      }),
    );
  try {
    await pipeline(await decryptBackup(fs.createReadStream(file), secret), new PassThrough(), archive.input);
  } catch (error) {
    throw createError([`it does not decrypt to a whole archive (${(error as Error).message})`]);
  }
  const differences = compareManifests(expected, archive.manifest());
  if (differences.length > 0) throw createError(formatDifferences(differences));
}
