import { basename } from "node:path";
import type { Backup } from "../../core/eventLog/events";

export function formatBackup(stack: string, address: string, backup: Backup, stale: readonly string[]): string[] {
  const { file, manifestFile, identityFile, sealedBytes, keyShare } = backup;
  const share =
    keyShare === undefined
      ? ["  key share    NONE: this signer has taken part in no key generation, or its share is gone"]
      : [
          ...keyShare.files.map((name) => `  key share    ${name}`),
          `  generated    ${keyShare.generatedAt.slice(0, 16).replace("T", " ")} UTC, by the newest of these files`,
        ];
  return [
    `backup of the signer of ${address} (${stack}), encrypted, and proved by reading it back:`,
    `  file         ${file} (${sealedBytes} bytes)`,
    `  list         ${manifestFile}`,
    `  opened by    ${identityFile}`,
    ...share,
    ...(stale.length === 0
      ? []
      : [
          "Of no use any more: they hold another key share than the signer has now:",
          ...stale.map((each) => `  ${basename(each)}`),
        ]),
    "After the next key generation this one is of no use either: take another one then.",
    "Keep the file and what opens it apart from each other and from this machine. To restore it: docs/orchestrator.md",
  ];
}
