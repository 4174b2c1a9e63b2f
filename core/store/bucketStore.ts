import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createOperatorError } from "../util/operatorError";
import { formatProblem } from "../util/problem";
import { settle } from "../util/writeAtomically";
import { readIfExists } from "./directoryStore";
import type { Bucket, Listed } from "./s3";
import type { Store } from "./store";

const maxConcurrentReads = 16;

/**
 * Opens a Pillar's part of a bucket. Each line of the event log, each backup, and each text that a name ever had is an
 * object that is written once.
 *
 * @param directory absolute path; has a copy of each backup that this machine made
 */
export function createBucketStore(bucket: Bucket, directory: string): Store {
  const { prefix, address } = bucket;
  const logPrefix = `${prefix}log/`;
  const backupKey = (file: string) => `${prefix}backups/${path.basename(file)}`;
  const namePrefix = (name: string) => `${prefix}newest/${name}/`;
  const newestInBucket = async (name: string) => {
    const last = (await bucket.list(namePrefix(name))).at(-1);
    return last === undefined ? undefined : readObject(bucket, last);
  };
  return {
    directory,
    log: `${address}log/`,
    files: `${address}backups/`,
    formatError: (_what, { message }) => message,
    append: (line) => addText(bucket, logPrefix, line),
    readText: async (name) => {
      // This machine may have written the text before its stack named the bucket: a forgotten order would be placed again.
      const text = (await newestInBucket(name)) ?? readIfExists(path.join(directory, name));
      return text || undefined;
    },
    writeText: async (name, text = "") => {
      if (((await newestInBucket(name)) ?? "") !== text) await addText(bucket, namePrefix(name), text);
      fs.rmSync(path.join(directory, name), { force: true });
    },
    readLines: async () => {
      const objects = await bucket.list(logPrefix);
      const lines: string[] = [];
      for (let from = 0; from < objects.length; from += maxConcurrentReads) {
        const batch = objects.slice(from, from + maxConcurrentReads);
        lines.push(...(await Promise.all(batch.map((object) => readObject(bucket, object)))));
      }
      return lines;
    },
    keep: async (part, name) => {
      await upload(bucket, part, backupKey(name));
      const file = path.join(directory, name);
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
      settle(part, file);
      return file;
    },
    readSize: async (file) => (await bucket.head(backupKey(file)))?.bytes,
    open: (file) => bucket.stream(backupKey(file)),
  };
}

/** Reads a text object without its last line break. */
async function readObject(bucket: Bucket, { key, bytes }: Listed): Promise<string> {
  const cache = textCache();
  const cached = cache.get(bucket.address + key);
  if (cached !== undefined) return cached;
  const text = await bucket.text(key);
  if (!text.endsWith("\n") || Buffer.byteLength(text) !== bytes)
    throw createOperatorError(
      formatProblem({
        what: `the bucket of the event log can't be read: ${bucket.address}; nothing is decided without it`,
        found: `${key} has ${bytes} bytes, and ${Buffer.byteLength(text)} came`,
        next: "Run the same command again",
      }),
    );
  cache.set(bucket.address + key, text.slice(0, -1));
  return text.slice(0, -1);
}

interface NewObject {
  readonly key: string;
  readonly body: () => string | fs.ReadStream;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a new object. @throws in the operator's words if the key exists with other content */
async function putNew(bucket: Bucket, { key, body, bytes, sha256 }: NewObject): Promise<void> {
  // Look first: some providers ignore If-None-Match.
  if ((await bucket.head(key)) === undefined && (await bucket.put(key, body(), bytes, sha256))) return;
  // The object is our own if the answer to an earlier attempt was lost.
  const existing = await bucket.head(key);
  if (existing?.bytes !== bytes || existing.sha256 !== sha256)
    throw createOperatorError(`${bucket.address}: ${key} exists already; nothing was overwritten`);
}

async function upload(bucket: Bucket, file: string, key: string): Promise<void> {
  const { size } = fs.statSync(file);
  const hash = crypto.createHash("sha256");
  await pipeline(fs.createReadStream(file), hash);
  const body = () => fs.createReadStream(file);
  await putNew(bucket, { key, body, bytes: size, sha256: hash.digest("hex") });
  if ((await bucket.head(key))?.bytes !== size)
    throw createOperatorError(
      formatProblem({
        what: `${bucket.address}: ${key} is not whole in the bucket`,
        needed: `run the same command again, until the bucket has all ${size} bytes`,
      }),
    );
}

async function addText(bucket: Bucket, prefix: string, content: string): Promise<void> {
  const last = (await bucket.list(prefix)).at(-1);
  // Sorts after all present objects, even if another machine's clock is ahead.
  const time = Math.max(Date.now(), last === undefined ? 0 : Number(path.basename(last.key).split("-")[0]) + 1);
  const key = `${prefix}${String(time).padStart(15, "0")}-${crypto.randomUUID()}.json`;
  const text = `${content}\n`;
  const sha256 = crypto.createHash("sha256").update(text).digest("hex");
  await putNew(bucket, { key, body: () => text, bytes: Buffer.byteLength(text), sha256 });
}

/** Returns the cache of texts already read. Global, because Pulumi would store a module variable in the state. */
function textCache(): Map<string, string> {
  const holder = globalThis as { pillarHostTexts?: Map<string, string> };
  holder.pillarHostTexts ??= new Map();
  return holder.pillarHostTexts;
}
