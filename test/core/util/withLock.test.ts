import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "../../../core/util/withLock";

let directory: string;
let at: number;
/** What happens while somebody waits. */
let meanwhile: () => void;
const deps = {
  ticks: () => at,
  sleep: async (milliseconds: number) => {
    at += milliseconds;
    meanwhile();
  },
};
const who = { stack: "prod", pillar: "Anvil" };
const file = () => join(directory, ".destroy-prod-Anvil");
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "alone-"));
  [at, meanwhile] = [0, () => undefined];
});
afterEach(() => rmSync(directory, { recursive: true }));

test("the work is done with the claim held, which is gone afterwards, whatever came of it", async () => {
  expect(await withLock(directory, who, deps, async () => readFileSync(file(), "utf8"))).toBe(String(process.pid));
  expect(existsSync(file())).toBe(false);
  await expect(withLock(directory, who, deps, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(file())).toBe(false);
});

test("one that is at work is waited for, and named where it does not end", async () => {
  writeFileSync(file(), String(process.ppid));
  await expect(withLock(directory, who, deps, async () => 1)).rejects.toThrow(
    `another destroy of prod is at work on this machine: nothing was changed
  found: process ${process.ppid}, by ${file()}
  needed: its end; where it is no destroy, the file gone: rm that file
  Then: pulumi destroy -s prod`,
  );
  expect(at).toBe(60_000);
  meanwhile = () => rmSync(file(), { force: true });
  expect(await withLock(directory, who, deps, async () => 1)).toBe(1);
});

test.each([
  ["of a process that is gone", "999999999"],
  ["without a process", ""],
  ["with this process's own number, as in a new container", String(process.pid)],
])("a claim %s holds nobody", async (_what, text) => {
  writeFileSync(file(), text);
  expect(await withLock(directory, who, deps, async () => 1)).toBe(1);
  expect(at).toBe(0);
});

test("a claim from before the machine's last start holds nobody, whoever has that number now", async () => {
  writeFileSync(file(), String(process.ppid));
  const before = Date.now() / 1000 - uptime() - 60;
  utimesSync(file(), before, before);
  expect(await withLock(directory, who, deps, async () => 1)).toBe(1);
});

test("another stack's is no hindrance", async () => {
  writeFileSync(join(directory, ".destroy-prod-2-Anvil"), String(process.ppid));
  expect(await withLock(directory, who, deps, async () => 1)).toBe(1);
});
