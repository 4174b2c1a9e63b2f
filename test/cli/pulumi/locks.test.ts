import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseLocks, readHolder, readLocks } from "../../../cli/pulumi/locks.ts";
import type { Lock } from "../../../core/journey/stackFacts.ts";
import { evilText, harmless } from "../../evilText.ts";
import { runningPulumi } from "../runningPulumi.ts";

const since = Date.parse("2026-11-21T14:49:32Z");
const lock: Lock = { user: "ada", host: "desk", pid: 4242, since };
/** No process has that number. */
const free = 4_194_305;
const directory = mkdtempSync(join(tmpdir(), "locks-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("pulumi's error about locks names each one", () => {
  const stderr =
    "error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with `pulumi cancel`.\n" +
    "  file:///state/.pulumi/locks/organization/pillar-host/prod/b985.json: created by ada@desk (pid 4242) at 2026-11-21T14:49:32Z\n" +
    "  file:///state/.pulumi/locks/organization/pillar-host/prod/c001.json: created by CORP\\bob@example@laptop.lan (pid 7) at 2026-11-21T15:49:32+01:00\n";
  expect(parseLocks(stderr)).toEqual([lock, { user: "CORP\\bob@example", host: "laptop.lan", pid: 7, since }]);
});

test("pulumi's error about locks names nobody for a conflict of Pulumi Cloud, and nothing for another error", () => {
  expect(parseLocks("error: [409] Conflict: Another update is currently in progress.\nTo learn more …")).toEqual([]);
  expect(parseLocks("error: no stack named 'prod' found")).toBeUndefined();
});

test("a lock's run lives while its process does; another program's, user's or machine's process is not that run", async () => {
  const holderOf = async (pid: number, host = hostname(), user = userInfo().username) =>
    (await readHolder({ ...lock, user, host, pid })).holder;
  const run = await runningPulumi();
  expect(await holderOf(run.pid)).toBe("lives");
  await run.end();
  expect(await Promise.all([run.pid, process.pid, free].map((pid) => holderOf(pid)))).toEqual(["gone", "gone", "gone"]);
  expect(await holderOf(free, "another")).toBe("unknown");
  expect(await holderOf(free, hostname(), "another")).toBe("unknown");
});

const folder = join(directory, ".pulumi/locks/organization/pillar-host/prod");
const file = (changes: object = {}) =>
  JSON.stringify({ pid: 4242, username: "ada", hostname: "desk", timestamp: "2026-11-21T14:49:32Z", ...changes });
const read = (url: string) => readLocks(url, "pillar-host", "organization/pillar-host/prod");

test("the holders of a stack's lock come from the lock files of a directory, without terminal commands", async () => {
  expect(await read(`file://${directory}`)).toEqual([]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "b985.json"), file());
  writeFileSync(join(folder, "half.json"), file().slice(0, 9));
  writeFileSync(join(folder, "none.json"), "{}");
  expect(await read(`file://${directory}`)).toEqual([{ lock, holder: "unknown" }]);
  writeFileSync(join(folder, "b985.json"), file({ username: evilText }));
  expect((await read(`file://${directory}`))?.[0]?.lock.user).toBe(harmless);
});
