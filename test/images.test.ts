import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { baseImageVersion, ensureBaseImage } from "../lab/images/baseImage.ts";
import { sourcesOf } from "../lab/images/mirror.ts";
import { scratchDirectory } from "./scratchDirectory.ts";

const scratch = scratchDirectory();
const own = () => join(scratch(), "own");

beforeEach(() => {
  mkdirSync(join(own(), "etc/apt"), { recursive: true });
  vi.stubEnv("XDG_CACHE_HOME", join(scratch(), "cache"));
});
afterEach(() => void vi.unstubAllEnvs());

test("a root file system of one's own stands for Debian 11 alone, and is taken again after a change", () => {
  const [debian, named] = [baseImageVersion(), baseImageVersion("debian-12")];
  vi.stubEnv("PILLAR_LAB_ROOTFS", own());
  const first = baseImageVersion();
  expect([first === debian, baseImageVersion("debian-12")]).toEqual([false, named]);
  utimesSync(own(), 1, 1);
  expect([first, debian]).not.toContain(baseImageVersion());
});

test.each(["directory", "tar archive"])("a %s that is no root file system with apt is refused", async (kind) => {
  const archive = join(scratch(), "own.tar.gz");
  if (kind === "tar archive") execFileSync("tar", ["-czf", archive, "-C", own(), "."]);
  vi.stubEnv("PILLAR_LAB_ROOTFS", kind === "directory" ? own() : archive);
  await expect(ensureBaseImage()).rejects.toThrow(
    /^PILLAR_LAB_ROOTFS: .* is no root file system with apt\n {2}found: no/,
  );
  expect(existsSync(join(scratch(), "cache/pillar-host", `base-image-${baseImageVersion()}`))).toBe(false);
});

test("its package sources are read in both forms, and not this machine's", async () => {
  const at = "http://archive.example/ubuntu";
  writeFileSync(join(own(), "etc/apt/sources.list"), `deb ${at} jammy main\n`);
  mkdirSync(join(own(), "etc/apt/sources.list.d"));
  const stanza = "Types: deb\nURIs: http://security.example/ubuntu\nSuites: jammy-security\nComponents: main\n";
  writeFileSync(join(own(), "etc/apt/sources.list.d/ubuntu.sources"), stanza);
  expect((await sourcesOf(own())).map((uri) => uri.replace(/\/$/, ""))).toEqual([at, "http://security.example/ubuntu"]);
});
