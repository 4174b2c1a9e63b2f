import fs from "node:fs";
import path from "node:path";

/** Writes a text to a temporary file, readable only by this user and on the disk, and lets `rename` put it in place. */
function writeBeside(file: string, text: string, rename: (part: string) => void): void {
  const part = `${file}.${process.pid}.part`;
  fs.rmSync(part, { force: true });
  try {
    fs.writeFileSync(part, text, { flag: "wx", mode: 0o600, flush: true });
    rename(part);
  } finally {
    fs.rmSync(part, { force: true });
  }
}

/** Writes a new file that only this user can read, completely or not at all. @throws if the file exists */
export function writeNewFile(file: string, text: string): void {
  writeBeside(file, text, (part) => settle(part, file));
}

/** Writes or replaces a file, by default for this user alone. If that fails, throws and leaves the old file as it was. */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  const directory = path.dirname(file);
  fs.mkdirSync(directory, { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 });
  writeBeside(file, text, (part) => {
    fs.chmodSync(part, mode);
    fs.renameSync(part, file);
    syncDirectory(directory);
  });
}

/**
 * Renames `part` to `file`. @throws if `file` exists. Flushes the directory, so that a power cut does not undo it.
 */
export function settle(part: string, file: string): void {
  try {
    fs.linkSync(part, file);
    fs.rmSync(part);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || fs.existsSync(file)) throw new Error(`${file} exists already; nothing was overwritten`);
    if (code === "ENOENT") throw error;
    // The file system has no hard links, so rename.
    fs.renameSync(part, file);
  }
  syncDirectory(path.dirname(file));
}

function syncDirectory(directory: string): void {
  const handle = fs.openSync(directory, "r");
  try {
    fs.fsyncSync(handle);
  } catch {
    // Some file systems can't flush a directory.
  } finally {
    fs.closeSync(handle);
  }
}
