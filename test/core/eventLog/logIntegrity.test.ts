import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { appendEvent } from "../../../core/eventLog/eventLog.ts";
import type { LogEvent } from "../../../core/eventLog/events.ts";
import { assertWhole, findLastHash, findLogFault, mergeHeads } from "../../../core/eventLog/logIntegrity.ts";
import { formatLine } from "../../../core/eventLog/logLine.ts";
import { createDirectoryStore, resolveEventLogPath } from "../../../core/store/directoryStore.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const directory = scratchDirectory();
beforeEach(() => void vi.stubEnv("XDG_DATA_HOME", join(directory(), "data")));
afterEach(() => void vi.unstubAllEnvs());

const store = () => createDirectoryStore(directory());
const file = () => resolveEventLogPath(directory());
const place = { at: "2026-11-26T18:00:00Z", stack: "prod", pillar: "Anvil" };
const event = (reason: string): LogEvent => ({ ...place, event: "refused", details: { reasons: [reason] } });
const add = (...reasons: string[]) =>
  reasons.reduce((before, reason) => before.then(() => appendEvent(store(), event(reason))), Promise.resolve());
const fault = async (headInState?: string) => (await findLogFault(store(), "move", headInState))?.found;
const whole = (lostLine?: string) =>
  assertWhole({ store: store(), stack: "prod", lostLine }, async (digits) =>
    appendEvent(store(), {
      ...{ at: place.at, move: { project: "pillar-host", stack: "prod", pillar: "Anvil", attempt: 1 } },
      ...{ event: "confirmed", details: { key: "lostLine", value: digits } },
    }),
  );
const lines = () => readFileSync(file(), "utf8").trimEnd().split("\n");
const rewrite = (kept: readonly string[]) => writeFileSync(file(), `${kept.join("\n")}\n`);

test("accepts an unchanged log, also an empty one", async () => {
  expect(await fault()).toBeUndefined();
  await add("one", "two");
  expect(await fault(findLastHash(lines()))).toBeUndefined();
});

test.each([
  ["its end cut off", [0, 1], "this machine"],
  ["a line taken out of its middle", [0, 2], "a later line of it"],
])("notices %s", async (_what, kept, who) => {
  await add("one", "two", "three");
  rewrite(lines().filter((_line, at) => kept.includes(at)));
  expect(await fault()).toContain(`, which ${who}`);
});

test("notices a missing log, and a changed line at the next line", async () => {
  await add("one", "two");
  rewrite(lines().map((line) => line.replace("one", "none")));
  expect(await fault()).toContain("which a later line of it has seen");
  rmSync(file());
  expect(await fault()).toContain("which this machine (");
});

test("notices another machine's copy by the state; accepts all lines of both, each after the line before it", async () => {
  await add("one", "two");
  const [first = "", second = ""] = lines();
  rmSync(join(directory(), "data"), { recursive: true });
  rewrite([first]);
  expect(await fault()).toBeUndefined();
  expect(await fault(findLastHash([first, second]))).toContain("which the stack's state has seen");
  await add("another's");
  rewrite([...lines(), second]);
  expect(await fault(findLastHash([first, second]))).toBeUndefined();
});

test("goes on without a line only if the operator gave up that one; a guard does not", async () => {
  await add("one", "two", "three", "four");
  const [second = "", third = ""] = [findLastHash(lines().slice(0, 2)), findLastHash(lines().slice(0, 3))];
  const [newest = ""] = [findLastHash(lines())];
  rewrite(lines().filter((_line, at) => at !== 2));
  await expect(whole()).rejects.toThrow(`orchestrator.lostLine ${third.slice(0, 12)} -s prod`);
  await expect(whole(second.slice(0, 12))).rejects.toThrow("nothing was started");
  await whole(third.slice(0, 12));
  await whole();
  expect(await fault()).toBeUndefined();
  expect((await findLogFault(store(), "guard"))?.found).toContain("has seen");
  // The word is for one line: the loss of another is a new one.
  rewrite(lines().filter((line) => findLastHash([line]) !== newest));
  await expect(whole(third.slice(0, 12))).rejects.toThrow("nothing was started");
});

test("tells a guard of a lost line also if nothing else remembers it", async () => {
  await add("one", "two");
  const lost = (findLastHash(lines()) ?? "").slice(0, 12);
  rewrite(lines().slice(0, 1));
  await whole(lost);
  expect(await fault()).toBeUndefined();
  expect((await findLogFault(store(), "guard"))?.found).toContain(`${lost}, which was lost when`);
});

test("notices the loss of a line of another machine that was read once", async () => {
  await add("one");
  const first = lines();
  rewrite([...first, JSON.stringify({ version: 1, at: "x", after: findLastHash(first) })]);
  expect(await fault()).toBeUndefined();
  rewrite(first);
  expect(await fault()).toContain("which this machine (");
});

test("accepts two writers at once that name the same line before theirs", async () => {
  await add("one");
  await Promise.all(["two", "three", "four"].map((reason) => appendEvent(store(), event(reason))));
  expect(lines()).toHaveLength(4);
  expect(await fault()).toBeUndefined();
  // A run was killed between a line and its head.
  const heads = join(directory(), "data/pillar-host/heads");
  const head = join(heads, readdirSync(heads)[0] ?? "");
  const before = readFileSync(head, "utf8");
  await add("five");
  writeFileSync(head, before);
  expect(await fault()).toBeUndefined();
});

test("begins nothing by a log that lacks a line, and names the next command", async () => {
  await add("one", "two");
  rewrite(lines().slice(0, 1));
  const said = await whole().catch((error: Error) => error.message);
  expect(said).toMatch(/^the event log is incomplete: nothing was started\n {2}found: .* no line with the hash/);
  expect(said).toMatch(/\n {2}Then: pulumi up -s prod\n {2}Is that line lost for good, .* && pulumi up -s prod$/);
});

test.each([
  ["exchanged lines", ["0", "2", "1"], "line 2 stands before the line that it was written after"],
  ["a line once more", ["0", "1", "2", "1"], "line 4 was there before"],
  ["two logs, one behind the other", ["0", "1", "2", "other"], "line 4 begins another log"],
])("refuses %s, and accepts a line that was cut off", async (_what, order, why) => {
  await add("one", "two", "three");
  const own: Record<string, string> = { ...Object.fromEntries(lines().entries()), other: formatLine(event("other")) };
  rewrite(order.map((name) => own[name] ?? ""));
  expect(await fault()).toBe(`${file()}: ${why}: the log was joined or changed by hand`);
  await expect(whole()).rejects.toThrow(`not in its order: nothing was started`);
  rewrite([own["0"] ?? "", '{"version":1,"at":"20', own["1"] ?? "", own["2"] ?? ""]);
  expect(await fault()).toBeUndefined();
});

test("a guard knows a log by its newest line, and of two logs neither from the second on", async () => {
  await add("one", "two");
  const [own, other] = [lines(), [formatLine(event("other"))]];
  const [first, last] = [findLastHash(own.slice(0, 1)), findLastHash(own)];
  expect([mergeHeads([]), mergeHeads(own), mergeHeads(own, first), mergeHeads([], last)]).toEqual([
    undefined,
    last,
    last,
    last,
  ]);
  const both = mergeHeads(other, last);
  expect(both).toBe(`${last} ${findLastHash(other)}`);
  expect((await findLogFault(store(), "guard", both))?.found).toContain("which the stack's state has seen");
  rewrite(other);
  rmSync(join(directory(), "data"), { recursive: true });
  expect((await findLogFault(store(), "guard", both))?.missing).toBe(last);
  // An older copy was used once, and the whole log is back.
  expect(mergeHeads(own, mergeHeads(own.slice(0, 1), last))).toBe(last);
});
