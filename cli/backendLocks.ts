import { readdir, readFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { holderOf, parseLockFile } from "./lock";
import type { Held } from "./lockTexts";
import { processSeen } from "./processes";

/** Where a backend's files are; undefined for one that is no directory of this machine (pure but for the home). */
export function directoryOf(url: string): string | undefined {
  const path = /^file:\/\/([^?]*)/.exec(url)?.[1];
  return path === undefined ? undefined : resolve(path.replace(/^~/, homedir()));
}

/**
 * Who holds a stack now, without taking its lock.
 *
 * @param url the backend's, of `pulumi whoami`
 * @returns undefined where the backend does not let it be seen
 */
export async function readLocks(url: string, project: string, stack: string): Promise<readonly Held[] | undefined> {
  const directory = directoryOf(url);
  if (directory === undefined) return undefined;
  const own = join(directory, ".pulumi", "locks", "organization", project, stack.split("/").at(-1) ?? stack);
  const files = (await readdir(own).catch(() => [])).filter((name) => name.endsWith(".json"));
  const texts = await Promise.all(files.map((name) => readFile(join(own, name), "utf8").catch(() => "")));
  const locks = texts.map(parseLockFile).filter((lock) => lock !== undefined);
  return Promise.all(
    locks.map(async (lock) => ({ lock, holder: holderOf(lock, hostname(), await processSeen(lock.pid)) })),
  );
}
