import fs from "node:fs";
import path from "node:path";

/** The checkout that contains this file. */
export const checkout = path.resolve(import.meta.dirname, "../..");

type Pinned = Readonly<Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>>;

/** Returns the exact version that package.json pins for a dependency, without a range sign. */
export function pinnedVersion(dependency: string): string {
  const file = path.join(checkout, "package.json");
  const { dependencies, optionalDependencies } = JSON.parse(fs.readFileSync(file, "utf8")) as Pinned;
  const version = { ...dependencies, ...optionalDependencies }[dependency]?.replace(/^[~^=v]+/, "");
  if (!version) throw new Error(`${file} has no dependency ${dependency}: the lab takes its version from there`);
  return version;
}

/** Returns the engine version that lab/toolchain/engine pins: the newest that can be built from Go modules. */
export function engineVersion(): string {
  const file = path.join(import.meta.dirname, "engine/go.mod");
  const version = /pulumi\/pkg\/v3 v(\S+)/.exec(fs.readFileSync(file, "utf8"))?.[1];
  if (!version)
    throw new Error(`${file} does not require github.com/pulumi/pulumi/pkg/v3: the lab builds its engine from it`);
  return version;
}

/**
 * True if an engine of version `found` runs programs written for `needed`: it has the same major version and is not
 * older.
 */
export function fits(found: string, needed: string): boolean {
  const [a, b] = [parse(found), parse(needed)];
  if (!a || !b || a[0] !== b[0]) return false;
  return a[1] !== b[1] ? a[1] > b[1] : a[2] >= b[2];
}

function parse(version: string): [number, number, number] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version.trim());
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}
