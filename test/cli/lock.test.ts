import { describe, expect, test } from "vitest";
import { holderOf, type Lock, type LockHolder, parseLockFile, parseLocks } from "../../cli/lock";

const since = Date.parse("2026-11-21T14:49:32Z");
const lock: Lock = { user: "ada", host: "desk", pid: 4242, since };

describe("what pulumi says of locks", () => {
  test("names each one", () => {
    const stderr =
      "error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with `pulumi cancel`.\n" +
      "  file:///state/.pulumi/locks/organization/pillar-host/prod/b985.json: created by ada@desk (pid 4242) at 2026-11-21T14:49:32Z\n" +
      "  file:///state/.pulumi/locks/organization/pillar-host/prod/c001.json: created by CORP\\bob@example@laptop.lan (pid 7) at 2026-11-21T15:49:32+01:00\n";
    expect(parseLocks(stderr)).toEqual([lock, { user: "CORP\\bob@example", host: "laptop.lan", pid: 7, since }]);
  });

  test("a conflict of Pulumi Cloud names nobody", () => {
    expect(parseLocks("error: [409] Conflict: Another update is currently in progress.\nTo learn more …")).toEqual([]);
  });

  test("another error is none", () => {
    expect(parseLocks("error: no stack named 'prod' found")).toBeUndefined();
  });
});

test("a backend's lock file is read, anything else is not", () => {
  const text = '{"pid":4242,"username":"ada","hostname":"desk","timestamp":"2026-11-21T14:49:32.578201661Z"}';
  expect(parseLockFile(text)).toEqual({ ...lock, since: since + 578 });
  expect(parseLockFile("")).toBeUndefined();
  expect(parseLockFile("{}")).toBeUndefined();
});

describe("the run that holds a lock", () => {
  const pulumi = (startedAt: number): LockHolder => ({ kind: "process", name: "pulumi", startedAt });
  test.each<[string, LockHolder, string]>([
    ["lives while its process does", pulumi(since - 1000), "lives"],
    ["lives though times are told in whole seconds", pulumi(since + 900), "lives"],
    ["lives under a packager's name too", { kind: "process", name: ".pulumi-wrapped", startedAt: since - 1 }, "lives"],
    ["is gone with its process", { kind: "nothing" }, "gone"],
    [
      "is gone where its process id is something else's",
      { kind: "process", name: "sshd", startedAt: since - 1 },
      "gone",
    ],
    ["is unknown where a later pulumi has its process id", pulumi(since + 60_000), "unknown"],
    ["is unknown where nothing is told of the process", { kind: "something" }, "unknown"],
  ])("%s", (_name, seen, holder) => {
    expect(holderOf(lock, "desk", seen)).toBe(holder);
  });

  test("is unknown on another machine, whatever runs here", () => {
    expect(holderOf(lock, "laptop", { kind: "nothing" })).toBe("unknown");
  });
});
