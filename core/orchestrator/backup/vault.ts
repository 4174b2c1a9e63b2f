import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { resolveOwnIdentityPath } from "../../store/storeDirectory.ts";
import { ProblemError } from "../../util/problem.ts";
import { readSmallFile } from "../../util/readSmallFile.ts";
import { resolvePath } from "../../util/resolvePath.ts";
import { writeNewFile } from "../../util/writeAtomically.ts";
import { createArchiveParser, readArchive } from "./archive.ts";
import { compareManifests, formatDifferences, type Manifest } from "./manifest.ts";

export function resolveIdentityPath(directory: string, configured: string | undefined): string {
  return configured === undefined ? resolveOwnIdentityPath(directory) : resolvePath(configured);
}

/**
 * Reads the identity file, or the program's own, made on first use: `isNew`, the operator has to copy it elsewhere.
 * @throws Error if there is no usable identity
 */
export async function openIdentity(directory: string, configured: string | undefined, now: () => number) {
  const age = await import("age-encryption");
  const file = resolveIdentityPath(directory, configured);
  const isNew = configured === undefined && !fs.existsSync(file);
  if (isNew) {
    const secret = await age.generateX25519Identity();
    const recipient = await age.identityToRecipient(secret);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeNewFile(file, `# created: ${new Date(now()).toISOString()}\n# public key: ${recipient}\n${secret}\n`);
  }
  return { file, isNew, ...(await readIdentity(file)) };
}

/** Returns the git checkout in which a file lies, or undefined. */
export function findGitCheckout(file: string): string | undefined {
  const above = path.dirname(file);
  if (above === file) return undefined;
  return fs.existsSync(path.join(above, ".git")) ? above : findGitCheckout(above);
}

/** Reads an age identity (https://age-encryption.org). No state or log has `secret`, the line `AGE-SECRET-KEY-1…`. */
export async function readIdentity(file: string) {
  const age = await import("age-encryption");
  const fail = (found: string) =>
    new ProblemError({
      what: `the backup's identity file can't be used: ${file}`,
      found,
      needed: "an age identity in plain text, as age-keygen writes it (pillar-host:orchestrator.backup.identityFile)",
      next: "Make one with: age-keygen -o FILE, or remove that setting from the configuration: the program makes its own",
    });
  const read = readSmallFile(file);
  if ("problem" in read) throw fail(`it ${read.problem}`);
  const [secret = ""] = /^AGE-SECRET-KEY-\S+/m.exec(read.value.text) ?? [];
  // Without the library's message, which would quote a damaged key.
  const recipient = await age.identityToRecipient(secret).catch(() => undefined);
  if (recipient === undefined) throw fail("no whole line AGE-SECRET-KEY-1…");
  return { secret, recipient };
}

export type Sealed = Awaited<ReturnType<typeof seal>>;

/**
 * Encrypts an archive into a new file (mode 0600, flushed to the disk) and parses it on the way. @param limitBytes
 * maximum: an endless stream would fill this machine's disk
 */
export async function seal(
  source: Readable,
  file: string,
  recipient: string,
  { keep, limitBytes }: { readonly keep: (path: string) => boolean; readonly limitBytes: number },
) {
  const age = await import("age-encryption");
  const encrypter = new age.Encrypter();
  encrypter.addRecipient(recipient);
  const parser = await createArchiveParser(keep);
  const parsed = async function* () {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > limitBytes)
        throw new Error(`the archive is larger than the files that were listed: more than ${limitBytes} bytes`);
      parser.write(chunk);
      yield chunk;
    }
  };
  const hash = crypto.createHash("sha256");
  let bytes = 0;
  const counted = async function* (sealed: AsyncIterable<Uint8Array>) {
    for await (const chunk of sealed) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  try {
    const sealed = await encrypter.encrypt(toWebStream(Readable.from(parsed())));
    const target = fs.createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(Readable.fromWeb(sealed as ReadableStream<Uint8Array>), counted, target);
  } finally {
    source.destroy();
  }
  return { archive: await parser.end(), bytes, sha256: hash.digest("hex") };
}

const toWebStream = (stream: Readable) => Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>;

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
  let found: readonly string[];
  try {
    const { manifest } = await readArchive(await decryptBackup(fs.createReadStream(file), secret));
    found = formatDifferences(compareManifests(expected, manifest));
  } catch (error) {
    found = [`it does not decrypt to a whole archive (${(error as Error).message})`];
  }
  if (found.length === 0) return;
  throw new ProblemError({
    what: `the backup could not be proved: ${file}`,
    found,
    needed: "every file as it was read on the host. Is the disk of this machine sound?",
  });
}
