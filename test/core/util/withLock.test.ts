import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../../core/util/withLock.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const scratch = scratchDirectory();
const scope = { stack: "prod", pillar: "Anvil" };
const file = () => join(scratch(), ".destroy-prod-Anvil.lock");
const times = { patience: 2000, abandoned: 1000, pause: 20 };
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
  const times = { patience: 500, abandoned: 10_000, pause: 20 };
  await expect(withLock(scratch(), scope, async () => 1, times)).rejects.toThrow(
    `a destroy of prod already runs on this machine; nothing was changed
  found: ${file()}, a lock that another process holds
  needed: wait until that run has finished
  Then: pulumi destroy -s prod`,
  );
  setTimeout(() => rmSync(file(), { recursive: true }), 100);
  expect(await withLock(scratch(), scope, async () => 1)).toBe(1);
});

test("ignores the lock of a killed process, by no clock that may jump, and of another stack", async () => {
  held(-3600);
  held(0, join(scratch(), ".destroy-prod-2-Anvil.lock"));
  const begun = performance.now();
  expect(await withLock(scratch(), scope, async () => 1, { ...times, patience: 60_000 })).toBe(1);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(times.abandoned);
});

test("waits for a living process, whatever the time of its lock", async () => {
  held(3600);
  let renewals = 0;
  const renew = setInterval(() => {
    renewals += 1;
    utimesSync(file(), 1, renewals);
  }, 50);
  const waiting = withLock(scratch(), scope, async () => 1, times);
  await expect(waiting).rejects.toThrow("a lock that another process holds");
  clearInterval(renew);
});
