/** True if a path below an orchestrator's directory is a key share (docs/chain.md, Files). */
export function isKeyShare(path: string): boolean {
  return /(^|\/)tss\/localstate-[^/]*\.json$/.test(path);
}

export function hasShareForKey(bridgeKey: string, paths: readonly string[]): boolean {
  return paths.some((path) => `/${path}`.endsWith(`/${formatShareFile(bridgeKey)}`));
}

/** Returns the share's path below an orchestrator's directory: its name contains the key in hexadecimal. */
export function formatShareFile(bridgeKey: string): string {
  return `tss/localstate-${Buffer.from(bridgeKey, "base64").toString("hex")}.json`;
}
