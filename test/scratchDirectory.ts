import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Makes an empty directory before each test of the file, and removes it afterwards. @returns its path */
export function scratchDirectory(): () => string {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "pillar-host-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  return () => directory;
}
