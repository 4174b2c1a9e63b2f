import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { LogEvent } from "../../../core/eventLog/events";
import { createWaitLog } from "../../../core/sync/waitLog";
import { journeyIn, putEvent } from "../../recordIn";
import { scratchDirectory } from "../../scratchDirectory";

const minute = 60_000;
const begun = Date.parse("2026-11-18T09:00:00Z");
const start = { startedAt: "2026-11-18T09:00:00.000Z", startHeight: 2 };
const address = "203.0.113.7";
const directory = scratchDirectory();
let now = begun;
const said: string[] = [];

beforeEach(() => {
  now = begun;
  said.length = 0;
});

const open = (place = directory()) => {
  const record = { directory: place, stack: "prod", pillar: "Anvil" };
  const say = (line: string) => said.push(line);
  return createWaitLog(record, address, () => now, say);
};
const lines = () => journeyIn(directory(), "Anvil").map(({ at, event, details }) => ({ at, event, details }));

test("logs a wait once, after a minute or at the end, and continues that of a killed run", async () => {
  const log = await open();
  await log.note(start);
  expect(lines()).toEqual([]);
  now += minute;
  for (const isEnd of [false, false, true]) await log.note(start, isEnd);
  const waiting = { at: "2026-11-18T09:01:00.000Z", event: "waiting", details: { address, ...start } };
  expect(lines()).toEqual([waiting]);

  const next = await open();
  expect(next.before).toEqual(start);
  await next.note(start, true);
  const proof = { ...start, syncedAt: "2026-11-18T09:02:00.000Z", currentHeight: 43, proved: ["p"], unproved: ["u"] };
  await next.end({ ...proof, state: 2, targetHeight: 43 });
  expect(lines()).toEqual([waiting, { at: waiting.at, event: "synced", details: proof }]);
  expect((await open()).before).toEqual({});
});

test("leaves out the waits of other hosts and stacks, and those before a deletion", async () => {
  const line = (event: string, details: object, stack = "prod") =>
    putEvent(directory(), { at: start.startedAt, stack, pillar: "Anvil", event, details } as unknown as LogEvent);
  const waiting = { address, ...start };
  line("waiting", { ...waiting, address: "203.0.113.9" });
  line("waiting", waiting, "prod-2");
  expect((await open()).before).toEqual({});
  line("waiting", waiting);
  line("synced", {}, "prod-2");
  line("waiting", { ...waiting, startedAt: "2026-11-19T09:00:00Z", startHeight: 6 });
  expect((await open()).before).toEqual(start);
  line("released", {});
  expect((await open()).before).toEqual({});
});

test("remembers the earlier producer address in the next run, and through it", async () => {
  await (await open()).note({ ...start, earlier: "z1qold" }, true);
  const log = await open();
  await log.note({ ...start, earlier: log.before.earlier }, true);
  expect((await open()).before.earlier).toBe("z1qold");
  expect(lines()).toHaveLength(1);
});

test("reports an unwritable event log and continues", async () => {
  writeFileSync(join(directory(), "file"), "");
  const log = await open(join(directory(), "file"));
  await log.note(start, true);
  expect(said).toHaveLength(2);
  for (const line of said)
    expect(line).toMatch(/^the event log could not be (read|written) on this machine: .*\n {2}found: E/);
});
