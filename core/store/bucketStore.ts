import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { settle } from "../util/writeAtomically";
import type { BucketPlace } from "./bucketPlace";
import { textIn } from "./directoryStore";
import { type Bucket, type Listed, openBucket } from "./s3";
import type { Store } from "./store";
import { storeFault } from "./storeFault";

/** Asked at once. */
const together = 16;

/**
 * A Pillar's part of a bucket as a store: each line of the event log, each backup, and each text that a name ever had, is an
 * object that is written once.
 *
 * @param directory on this machine, absolute: has a copy of each backup that was made here
 */
export function bucketStore(place: BucketPlace, directory: string, bucket: Bucket = openBucket(place)): Store {
  const { prefix, shown } = place;
  const logPrefix = `${prefix}log/`;
  const keyOf = (file: string) => `${prefix}backups/${path.basename(file)}`;
  const atOf = ({ key }: Listed) => Number(path.basename(key).split("-")[0]);
  const prefixOf = (name: string) => `${prefix}newest/${name}/`;

  const textOf = async ({ key, bytes }: Listed): Promise<string> => {
    const known = seenTexts();
    const before = known.get(shown + key);
    if (before !== undefined) return before;
    const text = await bucket.text(key);
    if (!text.endsWith("\n") || Buffer.byteLength(text) !== bytes)
      throw storeFault(
        `the store of the records can't be read: ${shown}; without it nothing is decided\n` +
          `  found: ${key} has ${bytes} bytes, and ${Buffer.byteLength(text)} came\n` +
          "  needed: the whole of it. Run the same command again",
      );
    known.set(shown + key, text.slice(0, -1));
    return text.slice(0, -1);
  };

  const putNew = async (key: string, body: () => string | fs.ReadStream, bytes: number, sha256: string) => {
    // Not every maker knows If-None-Match.
    if ((await bucket.head(key)) === undefined && (await bucket.put(key, body(), bytes, sha256))) return true;
    // An answer that was lost is asked for again: it may be our own.
    const there = await bucket.head(key);
    return there?.bytes === bytes && there.sha256 === sha256;
  };

  const upload = async (file: string, key: string) => {
    const { size } = fs.statSync(file);
    const hash = crypto.createHash("sha256");
    await pipeline(fs.createReadStream(file), hash);
    if (!(await putNew(key, () => fs.createReadStream(file), size, hash.digest("hex"))))
      throw storeFault(`${shown}: ${key} is there already: nothing is overwritten`);
    if ((await bucket.head(key))?.bytes !== size)
      throw storeFault(`${shown}: ${key} did not arrive whole\n  needed: ${size} bytes. Run the same command again`);
  };

  const add = async (below: string, content: string) => {
    const last = (await bucket.list(below)).at(-1);
    // After all that was seen, though another machine's clock be ahead.
    const at = Math.max(Date.now(), last === undefined ? 0 : atOf(last) + 1);
    const key = `${below}${String(at).padStart(15, "0")}-${crypto.randomUUID()}.json`;
    const text = `${content}\n`;
    const sha256 = crypto.createHash("sha256").update(text).digest("hex");
    if (!(await putNew(key, () => text, Buffer.byteLength(text), sha256)))
      throw storeFault(`${shown}: ${key} is there already: nothing is overwritten`);
  };

  const newestThere = async (name: string) => {
    const last = (await bucket.list(prefixOf(name))).at(-1);
    return last === undefined ? undefined : textOf(last);
  };
  /** Falls back to what this machine wrote before its stack named the bucket: an order is never forgotten. */
  const newest = async (name: string) => (await newestThere(name)) ?? textIn(path.join(directory, name));

  return {
    directory,
    log: `${shown}log/`,
    files: `${shown}backups/`,
    faultText: (_what, { message }) => message,
    append: (line) => add(logPrefix, line),
    newest: async (name) => (await newest(name)) || undefined,
    renew: async (name, text = "") => {
      if (((await newestThere(name)) ?? "") !== text) await add(prefixOf(name), text);
      fs.rmSync(path.join(directory, name), { force: true });
    },
    lines: async () => {
      const all = await bucket.list(logPrefix);
      const lines: string[] = [];
      for (let from = 0; from < all.length; from += together)
        lines.push(...(await Promise.all(all.slice(from, from + together).map(textOf))));
      return lines;
    },
    keep: async (part, name) => {
      await upload(part, keyOf(name));
      const file = path.join(directory, name);
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
      settle(part, file);
      return file;
    },
    sizeOf: async (file) => (await bucket.head(keyOf(file)))?.bytes,
    open: (file) => bucket.stream(keyOf(file)),
  };
}

/** Texts that this process has read: an object that is there never changes. Away from modules, which states take along. */
function seenTexts(): Map<string, string> {
  const holder = globalThis as { pillarHostTexts?: Map<string, string> };
  holder.pillarHostTexts ??= new Map();
  return holder.pillarHostTexts;
}
