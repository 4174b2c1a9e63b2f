import type { Backup, KeyShare } from "../../eventLog/events";
import type { ArchiveReader } from "./archive";
import type { Entry } from "./manifest";

/** Whether a path below a signer's directory names a file of its key share (docs/chain.md, Files). */
export function isKeyShare(path: string): boolean {
  return /(^|\/)tss\/localstate-[^/]*\.json$/.test(path);
}

/** Returns true if one of these paths is the share of the bridge's key, whose hexadecimal digits are in its name. */
export function hasShareOf(bridgeKey: string, paths: readonly string[]): boolean {
  return paths.some((path) => `/${path}`.endsWith(`/${shareFile(bridgeKey)}`));
}

/** The file of the share of the bridge's key, below an orchestrator's directory. */
export function shareFile(bridgeKey: string): string {
  return `tss/localstate-${Buffer.from(bridgeKey, "base64").toString("hex")}.json`;
}

/** The key share that an archive held, of the files whose content was kept. */
export function keyShareOf({ kept, writtenAt }: ArchiveReader): Pick<Backup, "keyShare"> {
  const files = [...kept.keys()].filter(isKeyShare).sort();
  const times = files.flatMap((file) => writtenAt.get(file)?.getTime() ?? []);
  if (files.length === 0 || times.length === 0) return {};
  const keyShare: KeyShare = { files, generatedAt: new Date(Math.max(...times)).toISOString() };
  return { keyShare };
}

/** Whether two lists of backups hold the same key share, byte for byte. */
export function hasSameShare(a: readonly Entry[], b: readonly Entry[]): boolean {
  const sums = (entries: readonly Entry[]) =>
    entries
      .filter(({ path }) => isKeyShare(path))
      .map(({ path, sha256 }) => `${path.split("/").at(-1)} ${sha256}`)
      .sort()
      .join("\n");
  return sums(a) === sums(b);
}
