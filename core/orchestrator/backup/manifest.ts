import { markOwn } from "../../ssh/foreign.ts";
import type { RootHost } from "../../ssh/root.ts";
import { collect } from "../../ssh/sshCommands.ts";

export interface Entry {
  /** Relative to the manifest's base, without a leading `./`; `.` is the base itself. */
  readonly path: string;
  readonly kind: "file" | "dir" | "link";
  /** Octal digits without a leading 0. */
  readonly mode: string;
  /** uid:gid. */
  readonly owner: string;
  /** Bytes; 0 unless it is a file. */
  readonly size: number;
  /** Absent unless it is a file. */
  readonly sha256?: string;
  /** Absent unless it is a link. */
  readonly target?: string;
}

/** The JSON beside an archive, as backup.ts writes it. */
export interface WrittenList {
  readonly version: number;
  readonly move: string;
  readonly host: string;
  readonly hostKey?: string;
  readonly provedAt: string;
  readonly entries: readonly Entry[];
}

/** Sorted by path. */
export type Manifest = ReadonlyMap<string, Entry>;

const kinds: Readonly<Record<string, Entry["kind"]>> = { f: "file", d: "dir", l: "link" };
const fieldsOfEntry = 6;

export function normalizePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 ? "." : parts.join("/");
}

/** Creates an entry. @param content sha256 of a file, target of a link */
export function createEntry(facts: Omit<Entry, "sha256" | "target"> & { readonly content: string }): Entry {
  const { content, ...entry } = facts;
  if (entry.kind === "file") return { ...entry, sha256: content };
  return entry.kind === "dir" ? { ...entry, size: 0 } : { ...entry, mode: "777", size: 0, target: content };
}

/** @throws if two entries have one path: names that are not UTF-8 can look alike */
export function createManifest(entries: readonly Entry[]): Manifest {
  const manifest = new Map<string, Entry>();
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (manifest.has(entry.path))
      throw new Error(`two files have the same name: ${quotePath(entry.path)}. Rename the one that is not UTF-8`);
    manifest.set(entry.path, entry);
  }
  return manifest;
}

/** Parses the output of orchestrator/manifest.sh. @throws if it was cut off, or an entry can't be copied or proved */
export function parseManifest(printed: Buffer): Manifest {
  const fields = printed.toString("utf8").split("\0");
  if (fields.pop() !== "" || fields.length % fieldsOfEntry !== 0) throw new Error("the list of files was cut off");
  const entries: Entry[] = [];
  for (let at = 0; at < fields.length; at += fieldsOfEntry) {
    const [letter = "", mode = "", owner = "", size = "", content = "", path = ""] = fields.slice(
      at,
      at + fieldsOfEntry,
    );
    const kind = kinds[letter];
    const name = normalizePath(path);
    if (kind === undefined)
      throw new Error(`${quotePath(name)} is a device, or of an unknown kind (${letter}): remove it first`);
    if (kind === "file" && !(/^\d{1,15}$/.test(size) && /^[0-9a-f]{64}$/.test(content)))
      throw new Error(`the list of files has no valid size and hash for ${quotePath(name)}`);
    entries.push(createEntry({ path: name, kind, mode, owner, size: Number(size), content }));
  }
  return createManifest(entries);
}

export interface FileSet {
  readonly base: string;
  /** Paths below the base; missing ones are skipped. `.` means the whole directory. */
  readonly paths: readonly string[];
}

const limitSeconds = 3600;
/** Enough for some hundred thousand files. */
const maxListBytes = 64 * 1024 * 1024;

/** Reads a manifest from a host. @throws as RootHost.call, and as parseManifest with the host's name */
export async function readManifest(root: RootHost, { base, paths }: FileSet): Promise<Manifest> {
  const stream = await root.stream("orchestrator_manifest", markOwn({ base, paths }), { limitSeconds });
  const printed = await collect(stream, maxListBytes, `${root.address}: the list of files in ${base}`);
  try {
    return parseManifest(printed);
  } catch (error) {
    throw new Error(`${root.address}: ${base}: ${(error as Error).message}`);
  }
}

/** Compares two manifests, owner and mode too. `what` quotes no file's content. @param mayDiffer true for paths to skip */
export function compareManifests(
  before: Manifest,
  after: Manifest,
  mayDiffer: (path: string) => boolean = () => false,
) {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => !mayDiffer(path)).sort();
  return paths.flatMap((path) => {
    const what = describeDifference(before.get(path), after.get(path));
    return what === undefined ? [] : [{ path, what }];
  });
}

function describeDifference(a: Entry | undefined, b: Entry | undefined): string | undefined {
  if (!a || !b) return a ? "missing" : "not there before";
  if (a.kind !== b.kind) return `a ${b.kind}, not a ${a.kind}`;
  const found = [
    a.mode !== b.mode && `mode ${b.mode}, not ${a.mode}`,
    a.owner !== b.owner && `owner ${b.owner}, not ${a.owner}`,
    a.size !== b.size && `${b.size} bytes, not ${a.size}`,
    a.size === b.size && a.sha256 !== b.sha256 && "other bytes",
    a.target !== b.target && "another link target",
  ].filter((line) => line !== false);
  return found.length === 0 ? undefined : found.join(", ");
}

export function formatDifferences(differences: ReturnType<typeof compareManifests>): string[] {
  const lines = differences.slice(0, 10).map(({ path, what }) => `${quotePath(path)}: ${what}`);
  const more = differences.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** Formats a path for the operator: quoted if it has other characters than letters, digits and `._/-`. */
export function quotePath(path: string): string {
  return /^[A-Za-z0-9._/-]+$/.test(path) ? path : JSON.stringify(path);
}

export function sumManifest(manifest: Manifest): { readonly files: number; readonly bytes: number } {
  const files = [...manifest.values()].filter(({ kind }) => kind === "file");
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}
