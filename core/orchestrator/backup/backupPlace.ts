import type { Backup } from "../../eventLog/events";
import type { MoveId } from "../../eventLog/moveId";
import { openStore } from "../../store/openStore";
import type { Store } from "../../store/store";
import { resolvePath } from "../../util/resolvePath";

/** Store and key of the backups, as found on this machine. */
export interface BackupSettings {
  readonly store: Store;
  /** File of the operator's age identity; if absent, the program makes its own. */
  readonly identityFile?: string | undefined;
  readonly move: MoveId;
}

/** {@link BackupSettings} as configured; relative paths are not resolved yet. */
export interface BackupPlace {
  readonly directory: string;
  readonly identityFile?: string | undefined;
  readonly move: MoveId;
}

/** Resolves the paths on this machine. @throws in the operator's words */
export function resolveBackupPlace({ directory, identityFile, move }: BackupPlace): BackupSettings {
  return {
    store: openStore(directory),
    move,
    identityFile: identityFile === undefined ? undefined : resolvePath(identityFile),
  };
}

/** True if a backup is still there, with the size that it had when it was proved. */
export async function isBackupKept(
  store: Store,
  backup: Pick<Backup, "file" | "manifestFile" | "sealedBytes">,
): Promise<boolean> {
  const [bytes, list] = await Promise.all([backup.file, backup.manifestFile].map((file) => store.readSize(file)));
  return bytes === backup.sealedBytes && list !== undefined;
}
