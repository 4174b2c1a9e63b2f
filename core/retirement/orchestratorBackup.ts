import crypto from "node:crypto";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { readMoveEvents } from "../eventLog/eventLog";
import type { MoveEvent } from "../eventLog/events";
import { isSameMove, type MoveId } from "../eventLog/moveId";
import { manifestVersion } from "../orchestrator/backup";
import { isKept } from "../orchestrator/backupPlace";
import type { Entry } from "../orchestrator/manifest";
import type { Store } from "../store/store";
import { checkVersion } from "../util/formatVersion";

/** A signer that is, or was, on a host which is given up. */
export interface BackedUpOrchestrator {
  /** The host's. */
  readonly address: string;
  /** The orchestrator's on that host, absolute. */
  readonly directory: string;
  /** The move that fenced it, as the host's journal has it: a backup from before another one may have an older share. */
  readonly move?: MoveId;
  /** ISO 8601: since when this stack guards the host. */
  readonly since: string;
}

interface Proved {
  readonly label: string;
  readonly file: string;
  readonly manifestFile: string;
  readonly sealedBytes: number;
  readonly sha256: string;
}

/**
 * Whether a backup of a signer that was proved lies on this machine, with the bytes that were proved.
 *
 * @throws where the record can't be read
 */
export async function hasOrchestratorBackup(store: Store, signer: BackedUpOrchestrator): Promise<boolean> {
  for (const entry of await readMoveEvents(store)) {
    const backup = provedIn(entry);
    if (backup === undefined || !(await isKept(store, backup))) continue;
    const list = await listIn(store, backup.manifestFile);
    if (isOf(signer, entry, backup, list) && (await sumOf(store, backup.file)) === backup.sha256) return true;
  }
  return false;
}

function provedIn(entry: MoveEvent): Proved | undefined {
  if (entry.event !== "backup") return undefined;
  const { label, file, manifestFile, sealedBytes, sha256 }: Partial<Proved> = entry.details;
  if (!label || !file || !manifestFile || sealedBytes === undefined || !sha256) return undefined;
  return { label, file, manifestFile, sealedBytes, sha256 };
}

function isOf(
  { address, directory, move, since }: BackedUpOrchestrator,
  entry: MoveEvent,
  backup: Proved,
  { host, entries = [] }: WrittenManifest,
): boolean {
  // A destroy that was cut off has taken it; before its guard was there the host had another life.
  if (backup.label === "retired")
    return move !== undefined && host === address && entry.at >= since && holdsFenced(entries, directory);
  if (move === undefined) return host === address;
  // What was copied after the stop is a part of it.
  return backup.label === "first" && isSameMove(entry.move, move);
}

function holdsFenced(entries: readonly Entry[], directory: string): boolean {
  const below = `${directory.replace(/^\/+|\/+$/g, "")}/`;
  const names = entries.flatMap(({ path, size }) =>
    size > 0 && path.startsWith(below) ? [path.slice(below.length)] : [],
  );
  const parts = [/^config\.json$/, /^[^/]+\.moved-to-/, /^tss\/localstate-[^/]*\.json$/];
  return parts.every((part) => names.some((name) => part.test(name)));
}

interface WrittenManifest {
  readonly version?: unknown;
  readonly host?: string;
  readonly entries?: readonly Entry[];
}

async function listIn(store: Store, file: string): Promise<WrittenManifest> {
  let found: WrittenManifest;
  try {
    found = JSON.parse(await text(await store.open(file))) as WrittenManifest;
  } catch {
    return {};
  }
  checkVersion(found.version, manifestVersion, `the list of a backup, ${file}`);
  return found;
}

async function sumOf(store: Store, file: string): Promise<string | undefined> {
  const hash = crypto.createHash("sha256");
  try {
    await pipeline(await store.open(file), hash);
  } catch {
    // What can't be read is no backup.
    return undefined;
  }
  return hash.digest("hex");
}
