import { basename } from "node:path";
import type { Backup } from "../../core/eventLog/events";

export function formatBackup(stack: string, address: string, backup: Backup, stale: readonly string[]): string[] {
  const { file, manifestFile, identityFile, sealedBytes, keyShare } = backup;
  const share =
    keyShare === undefined
      ? ["  key share    NONE: this orchestrator has taken part in no key generation, or its share is gone"]
      : [
          ...keyShare.files.map((name) => `  key share    ${name}`),
          `  generated    ${keyShare.generatedAt.slice(0, 16).replace("T", " ")} UTC, the date of the newest of these files`,
        ];
  return [
    `backup of the orchestrator of ${address} (${stack}), encrypted, and proved by reading it back:`,
    `  file         ${file} (${sealedBytes} bytes)`,
    `  list         ${manifestFile}`,
    `  opened by    ${identityFile}`,
    ...share,
    ...(stale.length === 0
      ? []
      : [
          "Earlier backups, useless because the orchestrator has another key share:",
          ...stale.map((each) => `  ${basename(each)}`),
        ]),
    "After the next key generation this backup is useless, too: make another one then.",
    "Keep the backup and the key that opens it apart from each other and from this machine. To restore it: docs/restore.md",
  ];
}
