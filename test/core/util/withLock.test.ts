import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../../core/util/withLock";
import { scratchDirectory } from "../../scratchDirectory";

const scratch = scratchDirectory();
const scope = { stack: "prod", pillar: "Anvil" };
const file = () => join(scratch(), ".destroy-prod-Anvil.lock");
/** Creates a lock that another process refreshed some seconds ago. */
const held = (seconds: number, name = file()) => {
  mkdirSync(name);
  const then = Date.now() / 1000 - seconds;
  utimesSync(name, then, then);
};

test("holds the lock during the work and releases it after success or failure", async () => {
  expect(await withLock(scratch(), scope, async () => existsSync(file()))).toBe(true);
  expect(existsSync(file())).toBe(false);
  await expect(withLock(scratch(), scope, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(file())).toBe(false);
});

test("waits for other work in the same process", async () => {
  const order: string[] = [];
  const work = (name: string) => withLock(scratch(), scope, async () => void order.push(name));
  const first = withLock(scratch(), scope, async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    order.push("first");
  });
  await expect.poll(() => existsSync(file())).toBe(true);
  await Promise.all([first, work("second")]);
  expect(order).toEqual(["first", "second"]);
});

test("waits for another process, and names its lock after the timeout", async () => {
  held(0);
  await expect(withLock(scratch(), scope, async () => 1, 1)).rejects.toThrow(
    `a destroy of prod already runs on this machine; nothing was changed
  found: ${file()}, a lock that another process holds
  needed: wait until that run has finished
  Then: pulumi destroy -s prod`,
  );
  setTimeout(() => rmSync(file(), { recursive: true }), 100);
  expect(await withLock(scratch(), scope, async () => 1)).toBe(1);
});

test("ignores the lock of a killed process, and of another stack", async () => {
  held(11);
  held(0, join(scratch(), ".destroy-prod-2-Anvil.lock"));
  expect(await withLock(scratch(), scope, async () => 1, 0)).toBe(1);
});
