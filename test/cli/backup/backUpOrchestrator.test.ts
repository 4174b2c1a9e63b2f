import { expect, test } from "vitest";
import { formatBackup } from "../../../cli/backup/backUpOrchestrator.ts";

const backup = {
  file: "/b/x.tar.age",
  manifestFile: "/b/x.manifest.json",
  identityFile: "/k/Anvil.age-identity",
  sealedBytes: 1234,
  sha256: "ab",
  files: 3,
  bytes: 1000,
  provedAt: "2026-11-21T18:00:00.000Z",
};
const keyShare = { files: ["root/.orchestrator/tss/localstate-a.json"], generatedAt: "2026-11-01T12:34:56.000Z" };

test("prints a backup's place, size and key share, or that it has none", () => {
  expect(formatBackup("prod", "192.0.2.1", { ...backup, keyShare })).toEqual([
    "backup of the orchestrator of 192.0.2.1 (prod), encrypted, and proved by reading it back:",
    "  file         /b/x.tar.age (1234 bytes)",
    "  list         /b/x.manifest.json",
    "  opened by    /k/Anvil.age-identity",
    "  key share    root/.orchestrator/tss/localstate-a.json",
    "  generated    2026-11-01 12:34 UTC, the date of the newest of these files",
    "Keep it until the next one. Make that after each key generation, because a restore refuses an older key share.",
    "Keep the backup and the key that opens it apart from each other and from this machine. To restore it: docs/restore.md",
  ]);
  expect(formatBackup("prod", "192.0.2.1", backup).join("\n")).toContain("key share    NONE");
});
