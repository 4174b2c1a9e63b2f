import { access, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { resolveHomeDirectory } from "../../core/util/resolvePath";
import { shortenStackName } from "./stackName";
import type { Deployment } from "./stackState";

/** Version of the file's format. Files of another version are left to Pulumi. */
const version = 3;

/** Returns a backend's directory; undefined if it is none on this machine. */
export function findBackendDirectory(url: string): string | undefined {
  const path = /^file:\/\/([^?]*)/.exec(url)?.[1];
  return path === undefined ? undefined : resolve(path.replace(/^~/, resolveHomeDirectory));
}

/**
 * Reads from the backend's directory what `pulumi stack export` prints, which saves a run of pulumi. Takes no lock.
 * Reads the text once: a state has megabytes of providers' code.
 * @returns undefined for another backend or format, or while the file is being written
 */
export async function readStateFile(url: string, project: string, stack: string): Promise<Deployment | undefined> {
  const directory = findBackendDirectory(url);
  if (directory === undefined) return undefined;
  const file = join(directory, ".pulumi", "stacks", project, `${shortenStackName(stack)}.json`);
  // If both files exist, Pulumi decides which one counts.
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
