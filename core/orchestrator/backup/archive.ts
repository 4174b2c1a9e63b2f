import crypto from "node:crypto";
import { Writable } from "node:stream";
import type { Parser, ReadEntry } from "tar";
import { createManifest, type Entry, type Manifest, normalizePath, quotePath } from "./manifest";

/** Reads a tar archive in a stream; writes nothing to the disk. */
export interface ArchiveReader {
  /** Takes the archive's bytes. Its error says what is wrong with them. */
  readonly input: Writable;
  /** Returns the entries, once the input has finished. @throws if two have one path */
  manifest(): Manifest;
  /** Content of the requested files, by path. */
  readonly kept: ReadonlyMap<string, string>;
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

/** Maximum of all kept content together. */
const maxKeptBytes = 16 * 1024 * 1024;

/** Creates a reader. @param keep true for small text files whose content is wanted; it holds secrets */
export async function readArchive(keep: (path: string) => boolean = () => false): Promise<ArchiveReader> {
  // Imported here, because the state stores the provider's code as text, which can't contain a package.
  const tar = await import("tar");
  const entries: Entry[] = [];
  const kept = new Map<string, string>();
  const writtenAt = new Map<string, Date>();
  let fault: Error | undefined;
  let bytesLeft = maxKeptBytes;
  const parser = new tar.Parser({
    strict: true,
    onReadEntry: (entry: ReadEntry) => {
      const kind = kinds[entry.type];
      if (kind === undefined) fault ??= new Error(`the archive holds a ${entry.type}`);
      // Refuse setuid and setgid, which a restore as root would set again.
      if (kind === "file" && ((entry.mode ?? 0) & 0o6000) !== 0)
        fault ??= new Error(
          `${quotePath(normalizePath(entry.path))} has setuid or setgid: remove these modes (chmod ug-s)`,
        );
      const hash = crypto.createHash("sha256");
      const isKept = kind === "file" && entry.size <= bytesLeft && keep(normalizePath(entry.path));
      if (isKept) bytesLeft -= entry.size;
      const chunks: Buffer[] = [];
      entry.on("data", (chunk: Buffer) => {
        hash.update(chunk);
        if (isKept) chunks.push(chunk);
      });
      entry.on("end", () => {
        if (kind !== undefined) entries.push(toEntry(entry, kind, hash.digest("hex")));
        if (!isKept) return;
        kept.set(normalizePath(entry.path), Buffer.concat(chunks).toString("utf8"));
        if (entry.mtime) writtenAt.set(normalizePath(entry.path), entry.mtime);
      });
      entry.resume();
    },
  });
  return { input: toWritable(parser, () => fault), manifest: () => createManifest(entries), kept, writtenAt };
}

function toEntry(entry: ReadEntry, kind: Entry["kind"], sha256: string): Entry {
  return {
    path: normalizePath(entry.path),
    kind,
    mode: kind === "link" ? "777" : (entry.mode ?? 0).toString(8),
    owner: `${entry.uid}:${entry.gid}`,
    size: kind === "file" ? entry.size : 0,
    sha256: kind === "file" ? sha256 : undefined,
    target: kind === "link" ? (entry.linkpath ?? "") : undefined,
  };
}

/** Wraps the parser, which is no Node stream: waits for it and passes errors on. */
function toWritable(parser: Parser, readFault: () => Error | undefined): Writable {
  let failure: Error | undefined;
  let waiting: ((error: Error | null) => void) | undefined;
  const resume = () => {
    const next = waiting;
    waiting = undefined;
    next?.(failure ?? readFault() ?? null);
  };
  parser.on("error", (error: Error) => {
    failure ??= new Error(`the archive is damaged: ${error.message}`);
    resume();
  });
  parser.on("drain", resume);
  parser.on("end", resume);
  let head: Buffer = Buffer.alloc(0);
  const input = new Writable({
    write: (chunk: Buffer, _encoding, next) => {
      if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
      // The parser would take a compressed archive, too, but a backup has to be plain tar.
      if (head.length >= headBytes && !isTarHead(head))
        return next(new Error("the archive is no plain tar: compressed, or damaged"));
      waiting = next;
      if (parser.write(chunk)) resume();
    },
    final: (next) => {
      waiting = next;
      parser.end();
    },
  });
  // Listen to errors, which the write reports anyway: an error event without a listener would end the process.
  return input.on("error", () => undefined);
}

const headBytes = 263;

/** True if the bytes begin a tar archive, or an empty one. */
function isTarHead(head: Buffer): boolean {
  return head.toString("latin1", 257, 262) === "ustar" || head.subarray(0, headBytes).every((byte) => byte === 0);
}
