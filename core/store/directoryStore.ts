import fs from "node:fs";
import path from "node:path";
import { ProblemError } from "../util/problem.ts";
import { replaceFile, settle } from "../util/writeAtomically.ts";
import type { Store } from "./store.ts";

export function resolveEventLogPath(directory: string): string {
  return path.join(directory, "record.jsonl");
}

/** Opens a directory of this machine as a store. @param directory absolute */
export function createDirectoryStore(directory: string): Store {
  const log = resolveEventLogPath(directory);
  const resolve = (name: string) => path.join(directory, name);
  const attempt = async <T>(what: "read" | "written", work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw new ProblemError({
        what: `the event log could not be ${what} on this machine: ${directory}`,
        found: (error as Error).message,
        needed: "make the directory readable and writable, with room on its disk",
        next: "Then run the same command again",
      });
    }
  };
  return {
    directory,
    log,
    append: (line) =>
      attempt("written", () => {
        fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
        appendWhole(log, line);
      }),
    readLines: () => attempt("read", () => (readIfExists(log) ?? "").split("\n").filter((line) => line !== "")),
    readText: (name) => attempt("read", () => readIfExists(resolve(name))),
    writeText: (name, text) =>
      attempt("written", () => {
        if (text === undefined) fs.rmSync(resolve(name), { force: true });
        else replaceFile(resolve(name), text);
      }),
    keep: async (part, name) => {
      settle(part, resolve(name));
      return resolve(name);
    },
    readSize: async (file) => fs.statSync(file, { throwIfNoEntry: false })?.size,
    open: async (file) => fs.createReadStream(file),
  };
}

/** Appends a line in one write, so that no other line comes between, and flushes it to the disk. */
function appendWhole(file: string, line: string): void {
  const handle = fs.openSync(file, "a+", 0o600);
  try {
    // A line that a power cut truncated must not swallow the next one.
    const { size } = fs.fstatSync(handle);
    const last = Buffer.alloc(1);
    if (size > 0) fs.readSync(handle, last, 0, 1, size - 1);
    const before = size > 0 && last.toString() !== "\n" ? "\n" : "";
    fs.writeFileSync(handle, `${before}${line}\n`);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Reads a file; undefined if there is none. @throws if it can't be read */
export function readIfExists(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
