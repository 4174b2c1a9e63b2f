import { access, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { homeDirectory } from "../../core/util/resolvePath";
import { stackName } from "./stackName";
import type { Deployment } from "./stackState";

/** Of the file's form. One of another is left to Pulumi. */
const version = 3;

/** Returns the directory of a backend; undefined for one that is none on this machine (pure but for the home). */
export function backendDirectory(url: string): string | undefined {
  const path = /^file:\/\/([^?]*)/.exec(url)?.[1];
  return path === undefined ? undefined : resolve(path.replace(/^~/, homeDirectory));
}

/**
 * What `pulumi stack export` tells of a stack, out of a backend that is a directory of this machine: a run of pulumi less. As
 * that, it takes no lock. A state has megabytes of providers' code: its text is read once.
 *
 * @param url the backend's
 * @returns undefined where it can't be had so: another backend, another form, a file that is being written
 */
export async function readStateFile(url: string, project: string, stack: string): Promise<Deployment | undefined> {
  const directory = backendDirectory(url);
  if (directory === undefined) return undefined;
  const file = join(directory, ".pulumi", "stacks", project, `${stackName(stack)}.json`);
  // Where both are there, Pulumi has a rule of its own.
  const isPacked = access(`${file}.gz`).then(
    () => true,
    () => false,
  );
  try {
    const found = JSON.parse(await readFile(file, "utf8")) as {
      readonly version?: unknown;
      readonly checkpoint?: { readonly latest?: Deployment };
    };
    const latest = found.checkpoint?.latest;
    if (found.version !== version || !Array.isArray(latest?.resources) || (await isPacked)) return undefined;
    return latest;
  } catch {
    return undefined;
  }
}
