import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

test("keeps no text file with CRLF", () => {
  const kept = execFileSync("git", ["ls-files", "--eol"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const binary = kept.filter((line) => line.startsWith("i/-text"));
  expect(kept.filter((line) => !line.startsWith("i/lf") && !binary.includes(line))).toEqual([]);
  expect(binary.filter((line) => !line.includes("attr/-text"))).toEqual([]);
  // Git for Windows writes CRLF into each file without this attribute.
  expect(kept.filter((line) => !binary.includes(line) && !line.includes("eol=lf"))).toEqual([]);
});
