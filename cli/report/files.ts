import fs from "node:fs";
import path from "node:path";
import { writeBeside } from "../../core/util/writeAtomically";

/** Puts a text in a file's place, whole or not at all; nobody else reads it. @throws where it can't be written */
export function replaceFile(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeBeside(file, text, (part) => fs.renameSync(part, file));
}
