import path from "node:path";
import { homeDirectory, resolvePath } from "../util/resolvePath";
import { isBucket, pillarInBucket } from "./bucketPlace";

/** As it stands in inputs and texts: the same for every user and machine, so that it is no change of a stack. */
const dataWord = "$XDG_DATA_HOME";
const folder = "pillar-host";

/** The user's data directory of this program (pure but for environment and home). */
export function dataDirectory(): string {
  const { XDG_DATA_HOME: given = "" } = process.env;
  // By its specification a relative one counts as none.
  return path.join(path.isAbsolute(given) ? given : path.join(homeDirectory(), ".local/share"), folder);
}

/** Where a Pillar's records go where nothing is configured, for every machine. */
export function recordsWord(pillar: string): string {
  return `${dataWord}/${folder}/records/${pillar}`;
}

/**
 * Returns the directory of records (event log, backups, orders) on this machine, absolute: the one way to it.
 *
 * @param configured the operator's own directory, recordsWord, or placeInBucket
 */
export function meantPlace(configured: string): string {
  // A bucket needs a place on this machine, too: for copies, locks, and files in the making.
  if (isBucket(configured)) return path.join(dataDirectory(), "records", pillarInBucket(configured) ?? "");
  const prefix = `${dataWord}/${folder}/`;
  if (!configured.startsWith(prefix)) return resolvePath(configured);
  return path.join(dataDirectory(), configured.slice(prefix.length));
}

/** The Pillar whose own place this is; undefined of one that was configured. @param directory absolute */
export function pillarAt(directory: string): string | undefined {
  const { dir, base } = path.parse(directory);
  return dir === path.join(dataDirectory(), "records") ? base : undefined;
}

/** The key that the program makes for backups: away from them, or beside a directory that was configured. */
export function ownIdentityFile(directory: string): string {
  const place = directory.replace(/\/+$/, "");
  const pillar = pillarAt(place);
  return pillar === undefined ? `${place}.age-identity` : path.join(dataDirectory(), "keys", `${pillar}.age-identity`);
}
