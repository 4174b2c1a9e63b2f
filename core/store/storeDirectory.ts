import path from "node:path";
import { resolveHomeDirectory, resolvePath } from "../util/resolvePath.ts";
import { formatBucketAddress, isBucket, parseBucketPillar } from "./bucketAddress.ts";

/** Stands for the user's data directory in inputs: another user or machine must not change the stack. */
const dataWord = "$XDG_DATA_HOME";
const folder = "pillar-host";

export function resolveDataDirectory(): string {
  const { XDG_DATA_HOME: given = "" } = process.env;
  // The XDG specification ignores a relative path.
  return path.join(path.isAbsolute(given) ? given : path.join(resolveHomeDirectory(), ".local/share"), folder);
}

/** Returns the default place of a Pillar's records. */
export function formatDefaultStore(pillar: string): string {
  return `${dataWord}/${folder}/records/${pillar}`;
}

/** Returns the place of another Pillar's records, in the same store; a configured directory has those of all names. */
export function renameStore(configured: string, pillar: string): string {
  if (isBucket(configured)) return formatBucketAddress(configured.split("#")[0] ?? "", pillar);
  return configured.startsWith(formatDefaultStore("")) ? formatDefaultStore(pillar) : configured;
}

/** Resolves a store's `configured` place to this machine's absolute path. */
export function resolveStoreDirectory(configured: string): string {
  // A bucket needs a directory for copies, locks and temporary files.
  if (isBucket(configured)) return path.join(resolveDataDirectory(), "records", parseBucketPillar(configured) ?? "");
  const prefix = `${dataWord}/${folder}/`;
  if (!configured.startsWith(prefix)) return resolvePath(configured);
  return path.join(resolveDataDirectory(), configured.slice(prefix.length));
}

/** Returns the path of the program's own key for backups: away from the backups, or beside a configured directory. */
export function resolveOwnIdentityPath(directory: string): string {
  const { dir, base } = path.parse(directory);
  const isDefault = dir === path.join(resolveDataDirectory(), "records");
  return path.join(isDefault ? path.join(resolveDataDirectory(), "keys") : dir, `${base}.age-identity`);
}
