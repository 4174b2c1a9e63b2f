import crypto from "node:crypto";
import { Writable } from "node:stream";
import type { Parser, ReadEntry } from "tar";
import { type Entry, type Manifest, manifestOf, plainPath, shown } from "./manifest";

/** Reads a tar archive as it passes, without writing any of it. */
export interface ArchiveReader {
  /** Write the archive's bytes here. Its error is the archive's fault. */
  readonly input: Writable;
  /** What it held; ask for it after the input has finished. @throws where two entries have one path */
  manifest(): Manifest;
  /** The content of the files that were asked for, by path. */
  readonly kept: ReadonlyMap<string, string>;
  /** When those files were last written. */
  readonly writtenAt: ReadonlyMap<string, Date>;
}

const kinds: Readonly<Record<string, Entry["kind"]>> = {
  File: "file",
  OldFile: "file",
  ContiguousFile: "file",
  Directory: "dir",
  GNUDumpDir: "dir",
  SymbolicLink: "link",
};

/** Bytes, of all that are kept. */
const keptLimit = 16 * 1024 * 1024;

/** @param keep paths of small text files whose content is wanted; it holds secrets */
export async function readArchive(keep: (path: string) => boolean = () => false): Promise<ArchiveReader> {
  // Inside the function: a provider's stored text can't carry a package that it captured otherwise.
  const tar = await import("tar");
  const entries: Entry[] = [];
  const kept = new Map<string, string>();
  const writtenAt = new Map<string, Date>();
  let fault: Error | undefined;
  let left = keptLimit;
  const parser = new tar.Parser({
    strict: true,
    onReadEntry: (entry: ReadEntry) => {
      const kind = kinds[entry.type];
      if (kind === undefined) fault ??= new Error(`the archive holds a ${entry.type}`);
      // A restore as root would set it again.
      if (kind === "file" && ((entry.mode ?? 0) & 0o6000) !== 0)
        fault ??= new Error(`${shown(plainPath(entry.path))} runs as its owner: take that from it (chmod ug-s)`);
      const hash = crypto.createHash("sha256");
      const isKept = kind === "file" && entry.size <= left && keep(plainPath(entry.path));
      if (isKept) left -= entry.size;
      const chunks: Buffer[] = [];
      entry.on("data", (chunk: Buffer) => {
        hash.update(chunk);
        if (isKept) chunks.push(chunk);
      });
      entry.on("end", () => {
        if (kind !== undefined) entries.push(entryOf(entry, kind, hash.digest("hex")));
        if (!isKept) return;
        kept.set(plainPath(entry.path), Buffer.concat(chunks).toString("utf8"));
        if (entry.mtime) writtenAt.set(plainPath(entry.path), entry.mtime);
      });
      entry.resume();
    },
  });
  return { input: writableOf(parser, () => fault), manifest: () => manifestOf(entries), kept, writtenAt };
}

function entryOf(entry: ReadEntry, kind: Entry["kind"], sha256: string): Entry {
  return {
    path: plainPath(entry.path),
    kind,
    mode: kind === "link" ? "777" : (entry.mode ?? 0).toString(8),
    owner: `${entry.uid}:${entry.gid}`,
    size: kind === "file" ? entry.size : 0,
    sha256: kind === "file" ? sha256 : undefined,
    target: kind === "link" ? (entry.linkpath ?? "") : undefined,
  };
}

/** The parser is no stream of Node's own: this one waits for it, and gives its errors. */
function writableOf(parser: Parser, faultNow: () => Error | undefined): Writable {
  let failure: Error | undefined;
  let waiting: ((error: Error | null) => void) | undefined;
  const goOn = () => {
    const next = waiting;
    waiting = undefined;
    next?.(failure ?? faultNow() ?? null);
  };
  parser.on("error", (error: Error) => {
    failure ??= new Error(`the archive is damaged: ${error.message}`);
    goOn();
  });
  parser.on("drain", goOn);
  parser.on("end", goOn);
  let head: Buffer = Buffer.alloc(0);
  const input = new Writable({
    write: (chunk: Buffer, _encoding, next) => {
      if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
      // The parser would unpack it, and what is kept would not open as a tar archive.
      if (head.length >= headBytes && !isTarHead(head))
        return next(new Error("the archive is no plain tar: it is packed"));
      waiting = next;
      if (parser.write(chunk)) goOn();
    },
    final: (next) => {
      waiting = next;
      parser.end();
    },
  });
  // The write reports the error; an event without a listener would end the process.
  return input.on("error", () => undefined);
}

const headBytes = 263;

/** Tells whether bytes are the head of a tar archive, or of one that holds nothing. */
function isTarHead(head: Buffer): boolean {
  return head.toString("latin1", 257, 262) === "ustar" || head.subarray(0, headBytes).every((byte) => byte === 0);
}
