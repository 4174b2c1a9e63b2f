import crypto from "node:crypto";
import { once } from "node:events";
import type { ReadEntry } from "tar";
import type { Backup } from "../../eventLog/events.ts";
import { isKeyShare } from "../../host/shareFileName.ts";
import { createEntry, createManifest, type Entry, normalizePath, quotePath } from "./manifest.ts";

/** A parsed archive, with the requested files by path. Nothing of it was written to the disk. */
export type Archive = Awaited<ReturnType<typeof readArchive>>;

const kinds: Readonly<Record<string, Entry["kind"]>> = { File: "file", Directory: "dir", SymbolicLink: "link" };

const maxKeptBytes = 16 * 1024 * 1024;

type Keep = (path: string) => boolean;

/**
 * Creates a parser of a plain tar archive in pieces. Its errors say what is wrong with the archive. @param keep true for
 * small text files whose content is wanted; it holds secrets
 */
export async function createArchiveParser(keep: Keep = () => false) {
  // Loaded here, because few runs read an archive.
  const tar = await import("tar");
  const entries: Entry[] = [];
  const kept = new Map<string, { readonly text: string; readonly writtenAt: Date | undefined }>();
  let fault: Error | undefined;
  let bytesLeft = maxKeptBytes;
  let isBegun = false;
  const onReadEntry = (entry: ReadEntry) => {
    const path = normalizePath(entry.path);
    const kind = kinds[entry.type];
    const mode = entry.mode ?? 0;
    if (kind === undefined) fault ??= new Error(`the archive holds a ${entry.type}`);
    // Refuse setuid and setgid, which a restore as root would set again.
    if (kind === "file" && (mode & 0o6000) !== 0)
      fault ??= new Error(`${quotePath(path)} has setuid or setgid: remove these modes (chmod ug-s)`);
    const hash = crypto.createHash("sha256");
    const isKept = kind === "file" && entry.size <= bytesLeft && keep(path);
    if (isKept) bytesLeft -= entry.size;
    const chunks: Buffer[] = [];
    entry.on("data", (chunk: Buffer) => {
      hash.update(chunk);
      if (isKept) chunks.push(chunk);
    });
    entry.on("end", () => {
      const content = kind === "link" ? (entry.linkpath ?? "") : hash.digest("hex");
      const owner = `${entry.uid}:${entry.gid}`;
      if (kind !== undefined)
        entries.push(createEntry({ path, kind, mode: mode.toString(8), owner, size: entry.size, content }));
      if (isKept) kept.set(path, { text: Buffer.concat(chunks).toString("utf8"), writtenAt: entry.mtime });
    });
    entry.resume();
  };
  const parser = new tar.Parser({ strict: true, zstd: false, onReadEntry });
  parser.on("error", (error: Error) => {
    fault ??= new Error(`the archive is damaged: ${error.message}`);
  });
  return {
    // Needs not wait for the parser, because every entry is consumed at once.
    write: (chunk: Uint8Array) => {
      // The parser would unpack gzip, too, but a backup has to be plain tar.
      if (!isBegun && chunk[0] === 0x1f) throw new Error("the archive is no plain tar, but compressed");
      isBegun ||= chunk.length > 0;
      parser.write(Buffer.from(chunk));
      if (fault) throw fault;
    },
    end: async () => {
      const ended = once(parser, "end").catch(() => undefined);
      parser.end();
      await ended;
      if (fault) throw fault;
      return { manifest: createManifest(entries), kept };
    },
  };
}

/** Reads an archive to its end. @throws if it is damaged, cut off, or no plain tar */
export async function readArchive(source: AsyncIterable<Uint8Array>, keep?: Keep) {
  const parser = await createArchiveParser(keep);
  for await (const chunk of source) parser.write(chunk);
  return parser.end();
}

/** Returns the key shares of an archive, and when the newest one was made. */
export function findKeyShare({ kept }: Archive): Pick<Backup, "keyShare"> {
  const files = [...kept.keys()].filter(isKeyShare).sort();
  const times = files.flatMap((file) => kept.get(file)?.writtenAt?.getTime() ?? []);
  if (times.length === 0) return {};
  return { keyShare: { files, generatedAt: new Date(Math.max(...times)).toISOString() } };
}
