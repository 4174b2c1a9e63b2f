import { formatProblem } from "../util/problem";

/** Hashes (sha256) of database files, by path. */
type FileHashes = ReadonlyMap<string, string>;

const entry = /^([0-9a-f]{64}) [ *]((?:nom|consensus|cache)\/[A-Za-z0-9._-]+)$/;

/** Parses the output of chain_manifest. @throws on any other text, because a foreign path could lead anywhere */
export function parseHashes(printed: string, address: string): FileHashes {
  const files = new Map<string, string>();
  for (const line of printed.split("\n")) {
    if (line === "") continue;
    const [, hash, path] = entry.exec(line) ?? [];
    if (hash === undefined || path === undefined)
      throw new Error(
        formatProblem({
          what: `${address}: the list of the chain's files cannot be read`,
          found: JSON.stringify(line.slice(0, 120)),
          needed: "a sha256 and a path below nom, consensus or cache",
        }),
      );
    files.set(path, hash);
  }
  return files;
}

/** Returns the paths in a copy that the original lacks, or has with other content. */
export function findDifferentPaths(copy: FileHashes, original: FileHashes): string[] {
  return [...copy].flatMap(([path, hash]) => (original.get(path) === hash ? [] : [path]));
}

export function findMissingPaths(copy: FileHashes, original: FileHashes): string[] {
  return [...original.keys()].filter((path) => !copy.has(path));
}
