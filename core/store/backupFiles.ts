import fs from "node:fs";
import path from "node:path";
import { ownIdentityFile } from "./recordsDirectory";
import type { Store } from "./store";

/** Files of a backup, as a line of the log has them. */
interface Files {
  readonly file?: string;
  readonly manifestFile?: string;
  readonly identityFile?: string;
}

/**
 * Where the files of a backup are now: a line names the places of the day on which it was written, and records may have
 * been brought elsewhere since, or copied to another machine.
 *
 * @param store of the log
 */
export function found<T extends Files>(files: T, { directory, files: kept }: Pick<Store, "directory" | "files">): T {
  const beside = (file: string) => {
    const name = path.basename(file);
    return firstThere(path.join(directory, name), kept === undefined ? file : kept + name);
  };
  return {
    ...files,
    ...(files.file === undefined ? {} : { file: beside(files.file) }),
    ...(files.manifestFile === undefined ? {} : { manifestFile: beside(files.manifestFile) }),
    ...(files.identityFile === undefined ? {} : { identityFile: keyOf(files.identityFile, directory) }),
  };
}

function firstThere(file: string, otherwise: string): string {
  return fs.existsSync(file) ? file : otherwise;
}

/** The program's own has its name from the Pillar; the operator's own is where it was named. */
function keyOf(file: string, directory: string): string {
  const own = ownIdentityFile(directory);
  return path.basename(file) === path.basename(own) ? firstThere(own, file) : file;
}
