import fs from "node:fs";

const sizeLimit = 64 * 1024;

export type SmallFile = ReturnType<typeof readSmallFile>;

/** Reads a key or a token. Refuses devices and pipes, which may never end. An error's text follows the file's name. */
export function readSmallFile(file: string) {
  let handle: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(handle);
    if (stat.isDirectory()) throw new Error("is a directory");
    if (!stat.isFile()) throw new Error("is not a regular file");
    const bytes = Buffer.alloc(sizeLimit + 1);
    let size = 0;
    for (let read = 1; read > 0 && size <= sizeLimit; size += read) read = fs.readSync(handle, bytes, { offset: size });
    if (size > sizeLimit) throw new Error(`is larger than ${sizeLimit / 1024} KiB`);
    const isExposed = stat.uid === process.getuid?.() && (stat.mode & 0o077) !== 0;
    return {
      text: bytes.toString("utf8", 0, size),
      /** Set if other users may read or write the file, because ssh refuses such keys. Its text follows the file's name. */
      exposed: isExposed ? `is open to other users (mode ${(stat.mode & 0o777).toString(8)})` : undefined,
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(code === undefined ? message : (reasons[code] ?? `can't be read (${code})`));
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist on this machine",
  EACCES: "can't be read by you",
};
