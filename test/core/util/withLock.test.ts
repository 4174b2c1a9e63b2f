import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "../../../core/util/withLock";

let directory: string;
let at: number;
/** Runs during each wait. */
let meanwhile: () => void;
const deps = {
  ticks: () => at,
  sleep: async (milliseconds: number) => {
    at += milliseconds;
    meanwhile();
  },
};
const scope = { stack: "prod", pillar: "Anvil" };
const file = () => join(directory, ".destroy-prod-Anvil.lock");
/** Creates a lock that another process refreshed some seconds ago. */
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

test("holds the lock during the work and releases it after success or failure", async () => {
  expect(await withLock(directory, scope, deps, async () => existsSync(file()))).toBe(true);
  expect(existsSync(file())).toBe(false);
  await expect(withLock(directory, scope, deps, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(file())).toBe(false);
});

test("waits for other work in the same process", async () => {
  const order: string[] = [];
  let end = () => {};
  const first = withLock(directory, scope, deps, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    order.push("first");
  });
  await expect.poll(() => existsSync(file())).toBe(true);
  meanwhile = () => end();
  await withLock(directory, scope, { ...deps, sleep: (ms) => deps.sleep(ms).then(() => first) }, async () => {
    order.push("second");
  });
  expect(order).toEqual(["first", "second"]);
});

test("waits for another process, and names its lock after the timeout", async () => {
  held(0);
  meanwhile = () => utimesSync(file(), Date.now() / 1000, Date.now() / 1000);
  await expect(withLock(directory, scope, deps, async () => 1)).rejects.toThrow(
    `a destroy of prod already runs on this machine; nothing was changed
  found: ${file()}, a lock that another process holds
  needed: wait until that run has finished
  Then: pulumi destroy -s prod`,
  );
  expect(at).toBe(60_000);
  meanwhile = () => rmSync(file(), { recursive: true, force: true });
  expect(await withLock(directory, scope, deps, async () => 1)).toBe(1);
});

test("ignores the lock of a killed process", async () => {
  held(11);
  expect(await withLock(directory, scope, deps, async () => 1)).toBe(1);
  expect(at).toBe(0);
});

test("ignores the lock of another stack", async () => {
  held(0, join(directory, ".destroy-prod-2-Anvil.lock"));
  expect(await withLock(directory, scope, deps, async () => 1)).toBe(1);
});
