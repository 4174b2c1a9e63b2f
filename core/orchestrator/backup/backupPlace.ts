import type { Backup } from "../../eventLog/events";
import type { MoveId } from "../../eventLog/moveId";
import { storeAt } from "../../store/openStore";
import type { Store } from "../../store/store";
import { resolvePath } from "../../util/resolvePath";

/** Where backups go. */
export interface BackupSettings {
  readonly store: Store;
  /** An age identity of the operator's; without one the program makes one. */
  readonly identityFile?: string | undefined;
  readonly move: MoveId;
}

/** The same, as inputs have it: as configured, relative to the project. */
export interface BackupPlace {
  readonly directory: string;
  readonly identityFile?: string | undefined;
  readonly move: MoveId;
}

/** What such a place is on this machine. @throws storeFault */
export function placed({ directory, identityFile, move }: BackupPlace): BackupSettings {
  const identity = identityFile === undefined ? {} : { identityFile: resolvePath(identityFile) };
  return { store: storeAt(directory), move, ...identity };
}

/** Whether a backup that was proved is there still, as long as it was. It was read whole when it was proved. */
export async function isKept(
  store: Store,
  backup: Pick<Backup, "file" | "manifestFile" | "sealedBytes">,
): Promise<boolean> {
  const [bytes, list] = await Promise.all([backup.file, backup.manifestFile].map((file) => store.sizeOf(file)));
  return bytes === backup.sealedBytes && list !== undefined;
}
