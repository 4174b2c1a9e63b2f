import type { Backup } from "../../eventLog/events.ts";
import { isKeyShare } from "../../host/facts.ts";
import type { Archive } from "./archive.ts";

export function hasShareForKey(bridgeKey: string, paths: readonly string[]): boolean {
  return paths.some((path) => `/${path}`.endsWith(`/${formatShareFile(bridgeKey)}`));
}

/** Returns the share's path below an orchestrator's directory: its name contains the key in hexadecimal. */
export function formatShareFile(bridgeKey: string): string {
  return `tss/localstate-${Buffer.from(bridgeKey, "base64").toString("hex")}.json`;
}

export function findKeyShare({ kept }: Archive): Pick<Backup, "keyShare"> {
  const files = [...kept.keys()].filter(isKeyShare).sort();
  const times = files.flatMap((file) => kept.get(file)?.writtenAt?.getTime() ?? []);
  if (times.length === 0) return {};
  return { keyShare: { files, generatedAt: new Date(Math.max(...times)).toISOString() } };
}
