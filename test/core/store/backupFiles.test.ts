import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { locateBackupFiles } from "../../../core/store/backupFiles";

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(tmpdir(), "found-"));
  vi.stubEnv("XDG_DATA_HOME", root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  fs.rmSync(root, { recursive: true });
});

it("finds a backup beside the event log, and its key, wherever both were when the line was written", () => {
  const directory = path.join(root, "pillar-host/records/Anvil");
  const key = path.join(root, "pillar-host/keys/Anvil.age-identity");
  for (const file of [path.join(directory, "a.tar.age"), key]) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "");
  }
  const line = {
    file: "/home/other/records/Anvil/a.tar.age",
    manifestFile: "/home/other/records/Anvil/a.manifest.json",
    identityFile: "/home/other/keys/Anvil.age-identity",
  };
  const here = { file: path.join(directory, "a.tar.age"), identityFile: key };
  expect(locateBackupFiles(line, { directory })).toEqual({ ...line, ...here });
  const manifestFile = "s3://state/Anvil/backups/a.manifest.json";
  expect(locateBackupFiles(line, { directory, files: "s3://state/Anvil/backups/" })).toEqual({ ...here, manifestFile });
  const own = { ...line, identityFile: "/home/other/mine.txt" };
  expect(locateBackupFiles(own, { directory }).identityFile).toBe("/home/other/mine.txt");
});
