import { readdir, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { bucketFault, isBucket, partOfBucket } from "../core/store/bucketPlace";
import { openBucket } from "../core/store/s3";
import { homeDirectory } from "../core/util/resolvePath";
import { holderOf, parseLockFile } from "./lock";
import type { Held } from "./lockTexts";
import { processSeen } from "./processes";
import { stackName } from "./stackName";

/** Where a backend's files are; undefined for one that is no directory of this machine (pure but for the home). */
export function directoryOf(url: string): string | undefined {
  const path = /^file:\/\/([^?]*)/.exec(url)?.[1];
  return path === undefined ? undefined : resolve(path.replace(/^~/, homeDirectory));
}

/**
 * Who holds a stack now, without taking its lock.
 *
 * @param url the backend's, of `pulumi whoami`
 * @returns undefined where the backend does not let it be seen
 */
export async function readLocks(url: string, project: string, stack: string): Promise<readonly Held[] | undefined> {
  const texts = await lockTexts(url, [".pulumi", "locks", "organization", project, stackName(stack)]);
  if (texts === undefined) return undefined;
  const locks = texts.map(parseLockFile).filter((lock) => lock !== undefined);
  return Promise.all(
    locks.map(async (lock) => ({ lock, holder: holderOf(lock, hostname(), await processSeen(lock.pid)) })),
  );
}

/** The engine keeps a lock as a file of the backend; undefined where that can't be read. */
async function lockTexts(url: string, folder: readonly string[]): Promise<string[] | undefined> {
  const directory = directoryOf(url);
  if (directory !== undefined) {
    const own = join(directory, ...folder);
    const files = (await readdir(own).catch(() => [])).filter((name) => name.endsWith(".json"));
    return Promise.all(files.map((name) => readFile(join(own, name), "utf8").catch(() => "")));
  }
  // Pulumi takes more in an address than is known here.
  if (!isBucket(url) || bucketFault(url) !== undefined) return undefined;
  try {
    const place = partOfBucket(url, folder);
    const bucket = openBucket(place, limits);
    const keys = (await bucket.list(place.prefix)).filter(({ key }) => key.endsWith(".json"));
    // One that was given up meanwhile is none.
    return await Promise.all(keys.map(({ key }) => bucket.text(key).catch(() => "")));
  } catch {
    return undefined;
  }
}

/** A look has no more time than that. */
const limits = { request: 5000, file: 5000 };
