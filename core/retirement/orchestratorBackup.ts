import { text } from "node:stream/consumers";
import { readMoveEvents } from "../eventLog/eventLog.ts";
import type { Backup } from "../eventLog/events.ts";
import { isBackupKept, manifestVersion } from "../orchestrator/backup/backup.ts";
import type { WrittenList } from "../orchestrator/backup/manifest.ts";
import { canOpen } from "../orchestrator/backup/vault.ts";
import type { Store } from "../store/store.ts";
import { checkVersion } from "../util/checkVersion.ts";
import { hashStream } from "../util/hashStream.ts";
import { type BackedUpOrchestrator, findBackupFault } from "./backupRule.ts";

/** Returns why no backup in the store counts for an orchestrator; empty if one does. @throws if the event log can't be read */
export async function findOrchestratorBackupFaults(
  store: Store,
  orchestrator: BackedUpOrchestrator,
): Promise<string[]> {
  const faults: string[] = [];
  for (const entry of (await readMoveEvents(store)).reverse()) {
    if (entry.event !== "backup" || entry.move.pillar !== orchestrator.pillar) continue;
    const { details: backup, at, move } = entry;
    const { label } = backup;
    let fault: string | undefined = "the backup's file is missing here, or has the wrong size";
    if (await isBackupKept(store, backup)) {
      const listed = { ...(await readManifest(store, backup.manifestFile)), label, at, move };
      fault = findBackupFault(orchestrator, listed) ?? (await findOpenFault(store, orchestrator, backup));
    }
    if (fault === undefined) return [];
    faults.push(`the ${label} backup of ${at}: ${fault}`);
  }
  return faults.length > 0
    ? faults.slice(0, 4)
    : [`no backup of an orchestrator of ${orchestrator.pillar} in ${store.log}`];
}

async function readManifest(store: Store, file: string): Promise<Partial<WrittenList>> {
  const read = async () => JSON.parse(await text(await store.open(file)));
  const manifest = await read().catch(() => undefined);
  if (manifest !== undefined) checkVersion(manifest.version, manifestVersion, `the list of a backup, ${file}`);
  return manifest ?? {};
}

async function findOpenFault(store: Store, { identityFile = "" }: BackedUpOrchestrator, backup: Backup) {
  const { file, sha256 } = backup;
  const hash = async () => hashStream(await store.open(file));
  // An unreadable file counts as no backup.
  if ((await hash().catch(() => undefined)) !== sha256) return "its bytes differ from those that were proved";
  const keys = [identityFile, backup.identityFile].filter((each) => each !== "");
  for (const key of keys) if (await canOpen(await store.open(file), key)) return undefined;
  if (keys.length === 0) return "no key file is configured to decrypt it";
  return `no key on this machine decrypts it (tried: ${keys.join(", ")})`;
}
