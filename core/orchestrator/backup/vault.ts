import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { PassThrough, Readable, Transform, type TransformCallback } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { ownIdentityFile } from "../../store/recordsDirectory";
import { readSmall } from "../../util/readSmall";
import { writeWhole } from "../../util/writeAtomically";
import { type ArchiveReader, readArchive } from "./archive";
import { compareManifests, differenceLines, type Manifest } from "./manifest";

/** What opens backups: an age identity (https://age-encryption.org). */
export interface Identity {
  readonly file: string;
  /** It was made just now: the operator has to keep it elsewhere. */
  readonly isNew: boolean;
  /** The public half. */
  readonly recipient: string;
  /** The line `AGE-SECRET-KEY-1…`: never stored or shown. */
  readonly secret: string;
}

/**
 * Reads the identity file that the configuration names, or the program's own, which is made on first use.
 *
 * @throws Error where it can't be read, or holds no identity that can be used here
 */
export async function identityFor(
  directory: string,
  configured: string | undefined,
  now: () => number,
): Promise<Identity> {
  const age = await import("age-encryption");
  const file = configured ?? ownIdentityFile(directory);
  const isNew = configured === undefined && !fs.existsSync(file);
  if (isNew) {
    const secret = await age.generateX25519Identity();
    const recipient = await age.identityToRecipient(secret);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const text = `# created: ${new Date(now()).toISOString()}\n# public key: ${recipient}\n${secret}\n`;
    writeWhole(file, text);
  }
  return { file, isNew, ...(await readIdentity(file)) };
}

/** Reads an age identity. @throws Error where it can't be read, or holds none that can be used here */
async function readIdentity(file: string): Promise<Pick<Identity, "recipient" | "secret">> {
  const age = await import("age-encryption");
  let text: string;
  try {
    ({ text } = readSmall(file));
  } catch (error) {
    throw new Error(identityFault(file, `found: it ${(error as Error).message}`));
  }
  const secret = text
    .split("\n")
    .find((line) => line.startsWith("AGE-SECRET-KEY-"))
    ?.trim();
  if (secret === undefined) {
    const isSealed = /^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED)/.test(text);
    const found = isSealed ? "a file that is encrypted itself" : "no line AGE-SECRET-KEY-1…";
    throw new Error(identityFault(file, `found: ${found}`));
  }
  try {
    return { secret, recipient: await age.identityToRecipient(secret) };
  } catch {
    throw new Error(identityFault(file, "found: a damaged AGE-SECRET-KEY-1… line"));
  }
}

function identityFault(file: string, found: string): string {
  return [
    `the backup's identity file can't be used: ${file}`,
    `  ${found}`,
    "  needed: an age identity in plain text, as age-keygen writes it (pillar-host:orchestrator.backup.identityFile)",
    "  Make one with: age-keygen -o FILE, or leave the key out: the program makes one",
  ].join("\n");
}

/** What was written. */
export interface Sealed {
  readonly archive: ArchiveReader;
  /** Of the encrypted file. */
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Encrypts an archive into a new file (mode 0600, on the disk when this returns), and reads it as it passes.
 *
 * @param limit bytes of the archive: a host that sends without an end would fill this machine's disk
 * @throws Error of the archive, of its source, or of this machine's disk
 */
export async function seal(
  source: Readable,
  file: string,
  recipient: string,
  keep: (path: string) => boolean,
  limit: number,
): Promise<Sealed> {
  const age = await import("age-encryption");
  const encrypter = new age.Encrypter();
  encrypter.addRecipient(recipient);
  const archive = await readArchive(keep);
  const tap = passing(archive, limit);
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
  // Whichever fails first is the cause; the other only ends because of it.
  taking.catch((error) => counted.destroy(error));
  // An event that nobody listens to would end the process: it may come before the pipeline below stands.
  counted.on("error", () => undefined);
  try {
    const sealed = await encrypter.encrypt(webOf(tap));
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

function webOf(stream: Readable) {
  return Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>;
}

/** Hands an archive on unchanged while the reader sees it. */
function passing(archive: ArchiveReader, limit: number): Transform {
  let size = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, next: TransformCallback) => {
      size += chunk.length;
      if (size > limit) {
        next(new Error(`the archive is larger than the files that were listed: more than ${limit} bytes`));
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

/** The plain bytes of a backup. @throws (on its stream) where it is damaged, or was made for another identity */
export function openBackup(file: string, secret: string): Promise<Readable> {
  return decrypt(fs.createReadStream(file), secret);
}

async function decrypt(sealed: Readable, secret: string): Promise<Readable> {
  const age = await import("age-encryption");
  const decrypter = new age.Decrypter();
  decrypter.addIdentity(secret);
  const plain = await decrypter.decrypt(webOf(sealed));
  return Readable.fromWeb(plain as ReadableStream<Uint8Array>);
}

/** Returns true if a backup was sealed for an identity file's key; decrypts nothing but its head. */
export async function opens(sealed: Readable, identityFile: string): Promise<boolean> {
  try {
    const { secret } = await readIdentity(identityFile);
    (await decrypt(sealed, secret)).destroy();
    return true;
  } catch {
    return false;
  } finally {
    sealed.destroy();
  }
}

/** Proves a backup: decrypts it as it lies on the disk, and compares every entry. @throws Error that names what is wrong */
export async function prove(file: string, secret: string, expected: Manifest): Promise<void> {
  const archive = await readArchive();
  const wrong = (found: readonly string[]) =>
    new Error(
      [
        `the backup could not be proved: ${file}`,
        ...found.map((line) => `  found: ${line}`),
        "  needed: every file as it was read on the host. Is the disk of this machine sound?",
      ].join("\n"),
    );
  try {
    await pipeline(await openBackup(file, secret), new PassThrough(), archive.input);
  } catch (error) {
    throw wrong([`it does not decrypt to a whole archive (${(error as Error).message})`]);
  }
  const differences = compareManifests(expected, archive.manifest());
  if (differences.length > 0) throw wrong(differenceLines(differences));
}
