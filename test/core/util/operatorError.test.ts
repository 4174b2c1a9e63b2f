import fs from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { formatError } from "../../../cli/terminal/refusal.ts";
import { showPlainErrors } from "../../../components/log.ts";
import { formatDefaultStore, resolveDataDirectory, resolveStoreDirectory } from "../../../core/store/storeDirectory.ts";
import { resolvePath } from "../../../core/util/resolvePath.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const scratch = scratchDirectory();
afterEach(() => void vi.unstubAllEnvs());

const denied = (code: string) => () => {
  throw Object.assign(new Error(`${code}: not allowed, mkdir '/x'`), { code, syscall: "mkdir", path: "/x" });
};

const table: readonly (readonly [string, () => unknown])[] = [
  ["EEXIST", () => fs.writeFileSync(scratch(), "", { flag: "wx" })],
  ["ENAMETOOLONG", () => fs.writeFileSync(join(scratch(), "a".repeat(300)), "")],
  ["ENOTDIR", () => fs.readdirSync("/dev/null")],
  ["EISDIR", () => fs.writeFileSync(scratch(), "")],
  ["ENOENT", () => fs.readFileSync(join(scratch(), "none"))],
  ["ENOSPC", () => fs.writeFileSync("/dev/full", "x")],
  ["EACCES", denied("EACCES")],
  ["EROFS", denied("EROFS")],
  ["Nested mappings", () => parse("a: b: c")],
];

test.each(table)(
  "%s is printed without a stack trace, and ends a program with a readable error",
  async (said, work) => {
    const form = new RegExp(`\\n {2}found: .*${said}[^]*\\n {2}needed: \\w`);
    const shown = thrownBy(work);
    expect(formatError(shown)).toMatch(form);
    expect(formatError(shown)).not.toMatch(/^ {4}at /m);
    await expect(showPlainErrors(async () => work())()).rejects.toThrow(pulumi.RunError);
    await expect(showPlainErrors(async () => work())()).rejects.toThrow(form);
  },
);

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
}

test("keeps the stack trace of a bug", async () => {
  const mistake = new TypeError("a mistake");
  expect(formatError(mistake)).toMatch(/^TypeError: a mistake\n {4}at /);
  await expect(showPlainErrors(() => Promise.reject(mistake))()).rejects.toBe(mistake);
});

test.each(["", "relative", ".", "~"])("a home that is %j is refused, unless nothing lies below it", (home) => {
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_DATA_HOME", undefined);
  const records = () => resolveStoreDirectory(formatDefaultStore("Anvil"));
  for (const work of [resolveDataDirectory, records, () => resolvePath("~/.ssh/id_ed25519")]) {
    expect(work).toThrow(`the home directory of this user is unknown\n  found: HOME=${JSON.stringify(home)}`);
    expect(formatError(thrownBy(work))).not.toMatch(/^ {4}at /m);
  }
  vi.stubEnv("XDG_DATA_HOME", "/data");
  expect([resolveDataDirectory(), resolvePath("/a")]).toEqual(["/data/pillar-host", "/a"]);
});
