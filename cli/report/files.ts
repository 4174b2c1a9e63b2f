import fs from "node:fs";
import path from "node:path";

/** Puts a text in a file's place, whole or not at all; nobody else reads it. @throws where it can't be written */
export function replaceFile(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
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
    fs.renameSync(part, file);
  } finally {
    fs.rmSync(part, { force: true });
  }
}
