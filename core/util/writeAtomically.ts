import fs from "node:fs";
import path from "node:path";

/**
 * Writes a text beside a file, for nobody else to read, then has it put in the file's place: whole or not at all, and on
 * the disk first.
 *
 * @param settle gives the written part the file's name
 * @throws where it can't be written; the part is gone
 */
export function writeBeside(file: string, text: string, settle: (part: string) => void): void {
  const part = `${file}.${process.pid}.part`;
  fs.rmSync(part, { force: true });
  try {
    const handle = fs.openSync(part, "wx", 0o600);
    try {
      fs.writeFileSync(handle, text);
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
    settle(part);
  } finally {
    fs.rmSync(part, { force: true });
  }
}

/** Writes a file that nobody else reads, whole or not at all. @throws where there is one already */
export function writeWhole(file: string, text: string): void {
  writeBeside(file, text, (part) => settle(part, file));
}

/** Replaces a file that nobody else reads, or makes it with its directory, whole or not at all. @throws where it can't be written */
export function replaceWhole(file: string, text: string): void {
  const directory = path.dirname(file);
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeBeside(file, text, (part) => {
    fs.renameSync(part, file);
    syncDirectory(directory);
  });
}

/** Gives a written file its name, never another's, so that a power cut does not lose it. */
export function settle(part: string, file: string): void {
  try {
    fs.linkSync(part, file);
    fs.rmSync(part);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems have no links.
    if (code === "EEXIST" || fs.existsSync(file)) throw new Error(`${file} is there already: nothing is overwritten`);
    if (code === "ENOENT") throw error;
    fs.renameSync(part, file);
  }
  syncDirectory(path.dirname(file));
}

/** Has the names in a directory on the fs. */
export function syncDirectory(directory: string): void {
  const handle = fs.openSync(directory, "r");
  try {
    fs.fsyncSync(handle);
  } catch {
    // Not on every file system.
  } finally {
    fs.closeSync(handle);
  }
}
