/** Suffixes of a release's number: none, or those that go-zenon's own workflow publishes. */
export const releaseSuffixes = ["", "-alphanet", "-libznn"];

function parseVersion(text: string) {
  const [, major, minor, patch, suffix = ""] = /^v?(\d+)\.(\d+)\.(\d+)(.*)$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { number: [major, minor, patch].map(Number), suffix, isRelease: releaseSuffixes.includes(suffix) };
}

/** Returns `v0.0.8` for each spelling of that release; undefined for a development build. */
export function releaseNumber(text: string): string | undefined {
  const version = parseVersion(text);
  return version?.isRelease ? `v${version.number.join(".")}` : undefined;
}

/** Returns the version that the address of a release names, if any. */
export const findVersion = (url: string): string | undefined => /\bv\d+\.\d+\.\d+[a-z]?(?![\w.])/.exec(url)?.[0];

/**
 * Compares two versions by number, for sort. A development build comes before the release of its number, because
 * nobody can tell what the build lacks. Returns undefined if the order is not known.
 */
export function compareNodeVersions(one: string, other: string): number | undefined {
  const [a, b] = [parseVersion(one), parseVersion(other)];
  if (a === undefined || b === undefined) return one === other ? 0 : undefined;
  const difference = a.number.map((part, at) => part - (b.number[at] ?? 0)).find((by) => by !== 0);
  if (difference !== undefined) return difference;
  if (a.isRelease !== b.isRelease) return a.isRelease ? 1 : -1;
  return a.isRelease || a.suffix === b.suffix ? 0 : undefined;
}
