import fs from "node:fs";
import path from "node:path";
import { resolveOwnIdentityPath } from "./recordsDirectory";
import type { Store } from "./store";

interface Files {
  readonly file?: string;
  readonly manifestFile?: string;
  readonly identityFile?: string;
}

/** Returns a backup's files with their present places, since somebody may have moved or copied them. */
export function locateBackupFiles<T extends Files>(
  files: T,
  { directory, files: kept }: Pick<Store, "directory" | "files">,
): T {
  const beside = (file: string) => {
    const name = path.basename(file);
    return preferExisting(path.join(directory, name), kept === undefined ? file : kept + name);
  };
  return {
    ...files,
    ...(files.file === undefined ? {} : { file: beside(files.file) }),
    ...(files.manifestFile === undefined ? {} : { manifestFile: beside(files.manifestFile) }),
    ...(files.identityFile === undefined ? {} : { identityFile: locateKey(files.identityFile, directory) }),
  };
}

function preferExisting(file: string, otherwise: string): string {
  return fs.existsSync(file) ? file : otherwise;
}

/** Returns where an age key is now: the program's own key on this machine, or the operator's key, which never moves. */
function locateKey(file: string, directory: string): string {
  const own = resolveOwnIdentityPath(directory);
  return path.basename(file) === path.basename(own) ? preferExisting(own, file) : file;
}
