import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { appendEvent } from "../../../core/eventLog/eventLog";
import type { LogEvent } from "../../../core/eventLog/events";
import { assertWhole, findLastHash, findMissingLine } from "../../../core/eventLog/logIntegrity";
import { createDirectoryStore, resolveEventLogPath } from "../../../core/store/directoryStore";
import { scratchDirectory } from "../../scratchDirectory";

const directory = scratchDirectory();
beforeEach(() => void vi.stubEnv("XDG_DATA_HOME", join(directory(), "data")));
afterEach(() => void vi.unstubAllEnvs());

const store = () => createDirectoryStore(directory());
const file = () => resolveEventLogPath(directory());
const place = { at: "2026-11-26T18:00:00Z", stack: "prod", pillar: "Anvil" };
const event = (reason: string): LogEvent => ({ ...place, event: "refused", details: { reasons: [reason] } });
const add = (...reasons: string[]) =>
  reasons.reduce((before, reason) => before.then(() => appendEvent(store(), event(reason))), Promise.resolve());
const lines = () => readFileSync(file(), "utf8").trimEnd().split("\n");
const rewrite = (kept: readonly string[]) => writeFileSync(file(), `${kept.join("\n")}\n`);

test("accepts an unchanged log, also an empty one", async () => {
  expect(await findMissingLine(store())).toBeUndefined();
  await add("one", "two");
  expect(await findMissingLine(store(), findLastHash(lines()))).toBeUndefined();
});

test.each([
  ["its end cut off", [0, 1], "this machine"],
  ["a line taken out of its middle", [0, 2], "a later line of it"],
])("notices %s", async (_what, kept, who) => {
  await add("one", "two", "three");
  rewrite(lines().filter((_line, at) => kept.includes(at)));
  expect(await findMissingLine(store())).toContain(`, which ${who}`);
});

test("notices a missing log, and a changed line at the next line", async () => {
  await add("one", "two");
  rewrite(lines().map((line) => line.replace("one", "none")));
  expect(await findMissingLine(store())).toContain("which a later line of it has seen");
  rmSync(file());
  expect(await findMissingLine(store())).toContain("which this machine (");
});

test("notices another machine's copy by the state; accepts all lines of both in any order", async () => {
  await add("one", "two");
  const [first = "", second = ""] = lines();
  rmSync(join(directory(), "data"), { recursive: true });
  rewrite([first]);
  expect(await findMissingLine(store())).toBeUndefined();
  expect(await findMissingLine(store(), findLastHash([first, second]))).toContain("which the stack's state has seen");
  await add("another's");
  rewrite([...lines(), second]);
  expect(await findMissingLine(store(), findLastHash([first, second]))).toBeUndefined();
});

test("accepts an earlier copy only with the operator's confirmation, on this machine", async () => {
  await add("one", "two", "three");
  rewrite(lines().slice(0, 1));
  await add("four");
  expect(await findMissingLine(store())).toContain("which this machine (");
  await assertWhole(store(), "prod", undefined, true);
  expect(await findMissingLine(store())).toBeUndefined();
});

test("notices the loss of a line of another machine that was read once", async () => {
  await add("one");
  const first = lines();
  writeFileSync(file(), `${first.join("\n")}\n${JSON.stringify({ version: 1, at: "x" })}\n`);
  expect(await findMissingLine(store())).toBeUndefined();
  rewrite(first);
  expect(await findMissingLine(store())).toContain("which this machine (");
});

test("accepts two writers at once that name the same line before theirs", async () => {
  await add("one");
  await Promise.all(["two", "three", "four"].map((reason) => appendEvent(store(), event(reason))));
  expect(lines()).toHaveLength(4);
  expect(await findMissingLine(store())).toBeUndefined();
  // A run was killed between a line and its head.
  const heads = join(directory(), "data/pillar-host/heads");
  const head = join(heads, readdirSync(heads)[0] ?? "");
  const before = readFileSync(head, "utf8");
  await add("five");
  writeFileSync(head, before);
  expect(await findMissingLine(store())).toBeUndefined();
});

test("begins nothing by a log that lacks a line, and names the next command", async () => {
  await add("one", "two");
  rewrite(lines().slice(0, 1));
  const said = await assertWhole(store(), "prod").catch((error: Error) => error.message);
  expect(said).toMatch(/^the event log is incomplete: nothing was started\n {2}found: .* no line with the hash/);
  expect(said).toContain("pillar-host:orchestrator.migrateFrom.laterThanMove");
  expect(said).toMatch(/\n {2}Then: pulumi up -s prod$/);
});
