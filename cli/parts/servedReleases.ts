import fs from "node:fs";
import path from "node:path";
import type { StackConfig } from "../../core/config/config";
import { backupPlace } from "../../core/settings/orchestratorPlaces";
import { type Installed, servedReleases } from "../../core/steps/looks";
import { partOf } from "./part";
import {
  type CachedRelease,
  type Hashed,
  installedRelease,
  parseReleases,
  type Release,
  type ReleaseSeen,
  stillHolds,
  wantedOf,
  withHash,
  withoutHash,
} from "./releases";

/** Runs a step on the host, as root. @returns what it printed @throws Error with why it did not */
export type RunStep = (step: ReturnType<typeof servedReleases>) => Promise<string>;

/** Hashes of what addresses served. */
type Store = Readonly<Record<string, CachedRelease>>;

const held = new Map<string, CachedRelease>();

/**
 * Asks the host, who is the one that installs, whether the release addresses serve what it has installed. A download is
 * hashed there once, and again where the server says that it has changed; where it says nothing, once a day.
 */
export async function lookAtReleases(
  config: StackConfig,
  run: RunStep,
  now: () => number,
): Promise<readonly Release[]> {
  const file = path.join(backupPlace(config), "releases.json");
  const found = parseReleases(await run(servedReleases(config)));
  const releases: Release[] = [];
  for (const program of ["controller", "orchestrator"] as const) {
    const wanted = wantedOf(config, program);
    if (wanted === undefined) continue;
    const seen = installedRelease(found, program);
    const early = withoutHash(program, seen, wanted.marker);
    releases.push(early ?? (await compare(config, program, wanted.url, seen, { file, run, now })));
  }
  return releases;
}

async function compare(
  config: StackConfig,
  program: Installed,
  url: string,
  { installed = "", validators }: ReleaseSeen,
  { file, run, now }: { file: string; run: RunStep; now: () => number },
): Promise<Release> {
  const before = held.get(url) ?? read(file)[url];
  if (stillHolds(before, validators, now())) return withHash(program, installed, before, now());
  const part = await partOf(async () => hashedOf(await run(servedReleases(config, program))));
  if ("why" in part) return { program, kind: "unknown", why: part.why, installed };
  const kept: CachedRelease = { ...part.value, at: now(), validators };
  held.set(url, kept);
  keep(file, url, kept);
  return withHash(program, installed, kept, now());
}

function hashedOf(printed: string): Hashed {
  const found = parseReleases(printed);
  const [sha256, first = ""] = [found.get("served.sha256"), found.get("served.first")];
  if (sha256 === undefined) throw new Error(`the download could not be hashed: ${found.get("served.fault") ?? "?"}`);
  return { sha256, first };
}

function read(file: string): Store {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")) as Store;
  } catch {
    return {};
  }
}

/** Beside the record, where there is one: a look makes no directories. */
function keep(file: string, url: string, kept: CachedRelease): void {
  try {
    const text = `${JSON.stringify({ ...read(file), [url]: kept }, undefined, 2)}\n`;
    fs.writeFileSync(`${file}.new`, text, { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
  } catch {
    // The next look asks again.
  }
}
