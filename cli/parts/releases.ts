import type { StackConfig } from "../../core/config/config";
import { releaseMarker } from "../../core/config/releaseSchema";
import type { Installed } from "../../core/steps/looks";
import { fieldsOf } from "../../core/util/fields";
import { durationText } from "../../core/util/timeText";

/** A server's word about what it serves; empty where it gives none. */
export interface Validators {
  readonly etag?: string;
  readonly modified?: string;
  readonly length?: string;
}

/** What is installed on a host, as it wrote down then, and what is known of its address now. */
export interface ReleaseSeen {
  /** Address, wanted hash or `any`, and the version where one is configured. */
  readonly wanted?: string;
  /** SHA-256 of what was downloaded then. */
  readonly installed?: string;
  readonly validators: Validators;
  /** Why the server did not tell. */
  readonly fault?: string;
}

/** What a download that was hashed brought. */
export interface Hashed {
  readonly sha256: string;
  /** The first four bytes, hexadecimal. */
  readonly first: string;
}

/** The same, as it is kept. */
export interface CachedRelease extends Hashed {
  /** Unix milliseconds. */
  readonly at: number;
  readonly validators: Validators;
}

/** What an address serves. */
export type Release = { readonly program: Installed } & (
  | { readonly kind: "notInstalled" }
  /** Another address, hash or version is configured than the one that was installed. */
  | { readonly kind: "toInstall"; readonly installed: string }
  /** `isWord`: the server's word that nothing has changed since the download was hashed. */
  | ({ readonly kind: "same" | "another" } & Compared)
  | ({ readonly kind: "noArchive"; readonly first: string } & Compared)
  | { readonly kind: "unknown"; readonly why: string; readonly installed: string }
);

interface Compared {
  readonly installed: string;
  readonly served: string;
  /** Unix milliseconds: when it was hashed. */
  readonly at: number;
  readonly isWord: boolean;
}

const day = 24 * 3_600_000;

/** Reads what servedReleases.sh prints (pure). @throws where it was cut off */
export function parseReleases(printed: string): Map<string, string> {
  const found = new Map(fieldsOf(printed));
  if (found.get("end") !== "yes") throw new Error("the host's answer about its releases was cut off");
  return found;
}

/** One program's part of it (pure). */
export function installedRelease(found: ReadonlyMap<string, string>, program: Installed): ReleaseSeen {
  const fields = (...names: string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = found.get(`${program}.${name}`);
        return value ? [[name, value]] : [];
      }),
    );
  return { ...fields("wanted", "installed", "fault"), validators: fields("etag", "modified", "length") };
}

/** What a program's address and marker are by the configuration (pure); undefined where it names no address. */
export function wantedOf({ controller, orchestrator }: StackConfig, program: Installed) {
  const { release } = program === "controller" ? controller : orchestrator;
  return release && { url: release.url, marker: releaseMarker(release) };
}

/**
 * Whether a hash that was kept still stands for what is served (pure): by the server's word; where it gives no more than
 * a length, for a day.
 */
export function stillHolds(
  kept: CachedRelease | undefined,
  now: ReleaseSeen["validators"],
  clock: number,
): kept is CachedRelease {
  if (kept === undefined) return false;
  const { etag, modified, length } = kept.validators;
  if (now.etag !== etag || now.modified !== modified || now.length !== length) return false;
  return etag !== undefined || modified !== undefined || clock - kept.at < day;
}

/** What is said of a program's release before any download (pure); undefined where only the hash tells. */
export function withoutHash(program: Installed, seen: ReleaseSeen, marker: string): Release | undefined {
  const { installed, wanted } = seen;
  if (installed === undefined) return { program, kind: "notInstalled" };
  if (wanted !== marker) return { program, kind: "toInstall", installed };
  return undefined;
}

/** What is said of it with the hash (pure). */
export function withHash(program: Installed, installed: string, kept: CachedRelease, clock: number): Release {
  const { sha256: served, first, at, validators } = kept;
  const isWord = clock > at && (validators.etag !== undefined || validators.modified !== undefined);
  const compared = { program, installed, served, at, isWord };
  if (served === installed) return { kind: "same", ...compared };
  // An orchestrator's release may be the bare executable.
  if (program === "controller" && first !== "504b0304") return { kind: "noArchive", first, ...compared };
  return { kind: "another", ...compared };
}

/** One line about it (pure). */
export function releaseText(release: Release, clock: number): string {
  const { program } = release;
  switch (release.kind) {
    case "notInstalled":
      return `${program}: not installed yet`;
    case "toInstall":
      return `${program}: another address, hash or version is configured than what is installed (${short(release.installed)}): the next run installs it`;
    case "same":
      return `${program}: its address serves what is installed, ${short(release.served)} (${howKnown(release, clock)})`;
    case "another":
      return `${program}: its address serves ANOTHER release now, ${short(release.served)}; installed is ${short(release.installed)} (${howKnown(release, clock)}). Nothing changes by itself`;
    case "noArchive":
      return `${program}: its address serves no zip archive now (${howKnown(release, clock)}); what is installed, ${short(release.installed)}, stays`;
    case "unknown":
      return `${program}: not known: ${release.why}; installed is ${short(release.installed)}`;
  }
}

const short = (sha256: string) => `sha256 ${sha256.slice(0, 12)}…`;

function howKnown({ at, isWord }: Compared, clock: number): string {
  const age = clock - at;
  if (age < 60_000) return "hashed now, on the host";
  return `hashed ${durationText(age)} ago${isWord ? ", unchanged since by its server's word" : ""}`;
}
