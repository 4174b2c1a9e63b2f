import fs from "node:fs";
import type { Result } from "./result.ts";

const sizeLimit = 64 * 1024;

/** `exposed`: set if other users may read or write the file, because ssh refuses such keys; a text as that of a problem. */
type SmallFile = { readonly text: string; readonly exposed?: string | undefined };

/** Reads a key or a token. Refuses devices and pipes, which may never end. A problem's text follows the file's name. */
export function readSmallFile(file: string): Result<SmallFile> {
  let handle: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(handle);
    if (stat.isDirectory()) return { problem: "is a directory" };
    if (!stat.isFile()) return { problem: "is not a regular file" };
    const bytes = Buffer.alloc(sizeLimit + 1);
    let size = 0;
    for (let read = 1; read > 0 && size <= sizeLimit; size += read) read = fs.readSync(handle, bytes, { offset: size });
    if (size > sizeLimit) return { problem: `is larger than ${sizeLimit / 1024} KiB` };
    const isExposed = stat.uid === process.getuid?.() && (stat.mode & 0o077) !== 0;
    const exposed = isExposed ? `is open to other users (mode ${(stat.mode & 0o777).toString(8)})` : undefined;
    return { value: { text: bytes.toString("utf8", 0, size), exposed } };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return { problem: reasons[code] ?? `can't be read (${code})` };
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist on this machine",
  EACCES: "can't be read by you",
};
