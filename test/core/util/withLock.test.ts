import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
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
const file = () => join(directory, ".destroy-prod-Anvil.lock");
/** As another process holds it that said so some seconds ago. */
const held = (seconds: number, name = file()) => {
  mkdirSync(name);
  const then = Date.now() / 1000 - seconds;
  utimesSync(name, then, then);
};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "alone-"));
  [at, meanwhile] = [0, () => undefined];
});
afterEach(() => rmSync(directory, { recursive: true }));

test("the work is done with the claim held, which is gone afterwards, whatever came of it", async () => {
  expect(await withLock(directory, who, deps, async () => existsSync(file()))).toBe(true);
  expect(existsSync(file())).toBe(false);
  await expect(withLock(directory, who, deps, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(file())).toBe(false);
});

test("a second one in the same process waits for the first", async () => {
  const order: string[] = [];
  let end = () => {};
  const first = withLock(directory, who, deps, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    order.push("first");
  });
  await expect.poll(() => existsSync(file())).toBe(true);
  meanwhile = () => end();
  await withLock(directory, who, { ...deps, sleep: (ms) => deps.sleep(ms).then(() => first) }, async () => {
    order.push("second");
  });
  expect(order).toEqual(["first", "second"]);
});

test("one that is at work is waited for, and named where it does not end", async () => {
  held(0);
  meanwhile = () => utimesSync(file(), Date.now() / 1000, Date.now() / 1000);
  await expect(withLock(directory, who, deps, async () => 1)).rejects.toThrow(
    `another destroy of prod is at work on this machine: nothing was changed
  found: ${file()}, which a process keeps fresh
  needed: wait until that run has finished
  Then: pulumi destroy -s prod`,
  );
  expect(at).toBe(60_000);
  meanwhile = () => rmSync(file(), { recursive: true, force: true });
  expect(await withLock(directory, who, deps, async () => 1)).toBe(1);
});

test("a claim of a process that was killed, or from before a start of the machine, holds nobody", async () => {
  held(11);
  expect(await withLock(directory, who, deps, async () => 1)).toBe(1);
  expect(at).toBe(0);
});

test("another stack's is no hindrance", async () => {
  held(0, join(directory, ".destroy-prod-2-Anvil.lock"));
  expect(await withLock(directory, who, deps, async () => 1)).toBe(1);
});
