import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
const root = join(import.meta.dirname, "..");

test("keeps no text file with CRLF", () => {
  const kept = git(root, "ls-files", "--eol").trim().split("\n");
  const binary = kept.filter((line) => line.startsWith("i/-text"));
  expect(kept.filter((line) => !line.startsWith("i/lf") && !binary.includes(line))).toEqual([]);
  expect(binary.filter((line) => !line.includes("attr/-text"))).toEqual([]);
});

test("has no CRLF in a clone by Git for Windows either", () => {
  const place = mkdtempSync(join(tmpdir(), "line-ends-"));
  const from = join(place, "from");
  git(place, "init", "-q", "from");
  for (const file of [".gitattributes", "pillar-host", "core/steps/lib/become.sh"])
    cpSync(join(root, file), join(from, file), { recursive: true });
  git(from, "add", ".");
  git(from, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "Begin");
  git(place, "clone", "-q", "-c", "core.autocrlf=true", "from", "to");
  for (const file of ["pillar-host", "core/steps/lib/become.sh"])
    expect(readFileSync(join(place, "to", file), "utf8").includes("\r"), file).toBe(false);
  rmSync(place, { recursive: true });
});
