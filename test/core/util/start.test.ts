import fs from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nodeFault, privateDirectory } from "../../../core/util/start.cjs";
import { scratchDirectory } from "../../scratchDirectory.ts";

const root = scratchDirectory();
const cache = () => join(root(), ".compiled");
const mode = () => (fs.statSync(cache()).mode & 0o777).toString(8);

afterEach(() => void vi.restoreAllMocks());

it("needs a Node that is new enough", () => {
  for (const old of ["18.20.4", "22.23.0", "24.10.0"])
    expect(nodeFault(old)).toContain(`pillar-host needs Node 24.11 or newer, found ${old} (`);
  for (const good of ["24.11.0", "25.0.0", "100.1.0", undefined]) expect(nodeFault(good)).toBeUndefined();
});

describe("the compile cache is private, because it is run", () => {
  it("is private even if the umask lets everybody write", () => {
    const before = process.umask(0);
    try {
      expect(privateDirectory(cache())).toBe(cache());
    } finally {
      process.umask(before);
    }
    expect(mode()).toBe("700");
  });

  it.each([0o777, 0o775, 0o720])("is created again if others could have written into it: %o", (writable) => {
    fs.mkdirSync(cache());
    fs.writeFileSync(join(cache(), "planted"), "code");
    fs.chmodSync(cache(), writable);
    expect(privateDirectory(cache())).toBe(cache());
    expect([mode(), fs.readdirSync(cache())]).toEqual(["700", []]);
  });

  it("keeps a directory that others may only read", () => {
    fs.mkdirSync(join(cache(), "v24"), { recursive: true, mode: 0o755 });
    expect(privateDirectory(cache())).toBe(cache());
    expect(fs.readdirSync(cache())).toEqual(["v24"]);
  });

  it("is refused if another user owns it", () => {
    fs.mkdirSync(cache());
    const owner = fs.statSync(cache()).uid;
    if (owner === 0) fs.chownSync(cache(), 65_534, 65_534);
    else vi.spyOn(process, "getuid").mockReturnValue(owner + 1);
    expect(() => privateDirectory(cache())).toThrow(
      /must be a directory that only you .*found: .*user \d+.*needed: \w/s,
    );
  });

  it("is refused if it is a link", () => {
    fs.mkdirSync(join(root(), "elsewhere"));
    fs.symlinkSync(join(root(), "elsewhere"), cache());
    expect(() => privateDirectory(cache())).toThrow("must be a directory that only you can write to");
  });

  it.each(["mkdirSync", "rmSync"] as const)("is left out if it can't be written: %s", (name) => {
    fs.mkdirSync(cache());
    fs.chmodSync(cache(), 0o777);
    vi.spyOn(fs, name).mockImplementation(() => {
      throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
    });
    expect(privateDirectory(cache())).toBeUndefined();
  });
});

it.each([
  ["cli/bin.cjs", 2],
  ["providers/runtime/preload.cjs", 1],
])("%s says so without a stack", async (file, exit) => {
  for (const name of ["package.json", "cli", "core", "providers"])
    fs.cpSync(name, join(root(), name), { recursive: true });
  fs.writeFileSync(cache(), "in the way");
  const { exitCode, stderr } = await execa(process.execPath, [join(root(), file)], { reject: false });
  expect([exitCode, stderr.split("\n")[0]]).toEqual([exit, expect.stringContaining("be a directory that only you")]);
  expect(stderr).not.toMatch(/^ {4}at /m);
});
