import type { Backup, KeyShare } from "../../eventLog/events";
import type { ArchiveReader } from "./archive";
import type { Entry } from "./manifest";

/** True if a path below an orchestrator's directory is a key share (docs/chain.md, Files). */
export function isKeyShare(path: string): boolean {
  return /(^|\/)tss\/localstate-[^/]*\.json$/.test(path);
}

/** True if one of these paths is the share of the bridge's key. */
export function hasShareForKey(bridgeKey: string, paths: readonly string[]): boolean {
  return paths.some((path) => `/${path}`.endsWith(`/${formatShareFile(bridgeKey)}`));
}

/** Returns the share's path below an orchestrator's directory: its name contains the key in hexadecimal. */
export function formatShareFile(bridgeKey: string): string {
  return `tss/localstate-${Buffer.from(bridgeKey, "base64").toString("hex")}.json`;
}

export function findKeyShare({ kept, writtenAt }: ArchiveReader): Pick<Backup, "keyShare"> {
  const files = [...kept.keys()].filter(isKeyShare).sort();
  const times = files.flatMap((file) => writtenAt.get(file)?.getTime() ?? []);
  if (files.length === 0 || times.length === 0) return {};
  const keyShare: KeyShare = { files, generatedAt: new Date(Math.max(...times)).toISOString() };
  return { keyShare };
}

/** True if two backups have the same key share, byte for byte. */
export function hasSameShare(a: readonly Entry[], b: readonly Entry[]): boolean {
  const sums = (entries: readonly Entry[]) =>
    entries
      .filter(({ path }) => isKeyShare(path))
      .map(({ path, sha256 }) => `${path.split("/").at(-1)} ${sha256}`)
      .sort()
      .join("\n");
  return sums(a) === sums(b);
}
