import fs from "node:fs";

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
