import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { hashStream } from "../util/hashStream.ts";
import { ProblemError } from "../util/problem.ts";
import { settle } from "../util/writeAtomically.ts";
import type { BucketAddress } from "./bucketAddress.ts";
import { readIfExists } from "./directoryStore.ts";
import { type Listed, openBucket } from "./s3.ts";
import type { Store } from "./store.ts";

const maxConcurrentReads = 16;

/** The texts already read, by their address: none ever changes. */
export const texts = new Map<string, string>();

/**
 * Opens a Pillar's part of a bucket. Each line of the event log, each backup, and each text that a name ever had is an
 * object that is written once.
 *
 * @param directory absolute path; has a copy of each backup that this machine made
 */
export function createBucketStore(
  place: BucketAddress,
  directory: string,
  timeoutsMs = { request: 20_000, file: 3_600_000 },
): Store {
  const bucket = openBucket(place, timeoutsMs);
  const { prefix, address } = place;
  const logPrefix = `${prefix}log/`;
  const backupKey = (file: string) => `${prefix}backups/${path.basename(file)}`;
  const namePrefix = (name: string) => `${prefix}newest/${name}/`;
  const readOnce = async (object: Listed) => {
    const name = address + object.key;
    const text = texts.get(name) ?? (await bucket.text(object));
    texts.set(name, text);
    return text;
  };
  const listTexts = async (keyPrefix: string) => assertOwn(keyPrefix, await bucket.list(keyPrefix));
  const readNewest = async (name: string) => {
    const last = (await listTexts(namePrefix(name))).at(-1);
    return last && readOnce(last);
  };
  const addText = async (keyPrefix: string, content: string) => {
    const last = (await listTexts(keyPrefix)).at(-1);
    // Sorts after all present objects, even if another machine's clock is ahead.
    const time = Math.max(Date.now(), last === undefined ? 0 : Number(path.basename(last.key).split("-")[0]) + 1);
    const text = `${content}\n`;
    const key = `${keyPrefix}${String(time).padStart(15, "0")}-${crypto.randomUUID()}.json`;
    await bucket.put(key, text, Buffer.byteLength(text));
  };
  return {
    directory,
    log: `${address}log/`,
    files: `${address}backups/`,
    append: (line) => addText(logPrefix, line),
    readText: async (name) => {
      // This machine may have written the text before its stack named the bucket: a forgotten order would be placed again.
      const text = (await readNewest(name)) ?? readIfExists(path.join(directory, name));
      return text || undefined;
    },
    writeText: async (name, text = "") => {
      if (((await readNewest(name)) ?? "") !== text) await addText(namePrefix(name), text);
      fs.rmSync(path.join(directory, name), { force: true });
    },
    readLines: async () => {
      const objects = await listTexts(logPrefix);
      const lines: string[] = [];
      for (let from = 0; from < objects.length; from += maxConcurrentReads)
        lines.push(...(await Promise.all(objects.slice(from, from + maxConcurrentReads).map(readOnce))));
      return lines;
    },
    keep: async (part, name) => {
      const key = backupKey(name);
      const { size } = fs.statSync(part);
      const sha256 = await hashStream(fs.createReadStream(part));
      // Look first: some providers ignore If-None-Match.
      if ((await bucket.head(key)) === undefined) await bucket.put(key, fs.createReadStream(part), size, { sha256 });
      const kept = await bucket.head(key);
      if (kept?.bytes !== size || kept.sha256 !== sha256)
        throw new ProblemError({
          what: `${address}: ${key} exists already; nothing was overwritten`,
          found: "other content than this file's, or a part of it",
          next: "Run the same command again. If it stays so, remove that object from the bucket",
        });
      const file = path.join(directory, name);
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
      settle(part, file);
      return file;
    },
    readSize: async (file) => (await bucket.head(backupKey(file)))?.bytes,
    open: (file) => bucket.stream(backupKey(file)),
  };
}

/** Returns the objects of texts, oldest first. @throws if one is no text: its key has no place in that order */
function assertOwn(keyPrefix: string, objects: readonly Listed[]): readonly Listed[] {
  const other = objects.find(({ key }) => !/^\d{15}-[0-9a-f-]+\.json$/.test(key.slice(keyPrefix.length)));
  if (other === undefined) return objects;
  throw new ProblemError({
    what: "the bucket of the event log has an object that is none of this program's; nothing was changed",
    found: other.key,
    needed: "move that object to another place",
    next: "Then run the same command again",
  });
}
