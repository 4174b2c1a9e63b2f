import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LogEvent } from "../../../core/eventLog/events";
import { createWaitLog, type WaitLog } from "../../../core/sync/waitLog";
import { journeyIn, putEvent } from "../../recordIn";
import { answer, none } from "./looks";

const minute = 60_000;
const begun = Date.parse("2026-11-18T09:00:00Z");
const start = { startedAt: "2026-11-18T09:00:00.000Z" };
let directory = "";
let now = begun;
const said: string[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waits-"));
  now = begun;
  said.length = 0;
});
afterEach(() => rmSync(directory, { recursive: true }));

function opened(place = { directory, stack: "prod", pillar: "Anvil" }) {
  return createWaitLog(
    place,
    "203.0.113.7",
    () => now,
    (line) => said.push(line),
  );
}

/** Returns lookups once a minute: the height is the minute, and the lookups before the second one get no answer. */
async function look(wait: WaitLog, minutes: number, startHeight?: number) {
  const observe = async () => (now < begun + 2 * minute ? none() : answer(1, (now - begun) / minute, 0));
  const client = wait.logStart({ observe, close: () => undefined }, { ...start, startHeight });
  for (let i = 0; i < minutes; i += 1) {
    now += minute;
    await client.observe();
  }
}

const lines = () => journeyIn(directory, "Anvil") as (LogEvent & { event: "waiting" })[];
const waits = (wait: WaitLog) => ({ ...wait.before });
const noWaits = { startedAt: undefined, startHeight: undefined, earlier: undefined };

test("logs its start once, after a minute or at the end", async () => {
  const wait = await opened();
  await look(wait, 70);
  await wait.pause();
  await wait.pause();
  expect(lines()).toEqual([
    {
      at: "2026-11-18T09:02:00.000Z",
      stack: "prod",
      pillar: "Anvil",
      event: "waiting",
      details: { address: "203.0.113.7", ...start, startHeight: 2 },
    },
  ]);
});

test("logs the start of a short run at its end", async () => {
  const wait = await opened();
  await wait.pause();
  expect(lines()).toMatchObject([{ event: "waiting", details: { address: "203.0.113.7" } }]);
});

test("continues the start of a killed run", async () => {
  await look(await opened(), 40);
  const wait = await opened();
  expect(waits(wait)).toEqual({ ...noWaits, startedAt: start.startedAt, startHeight: 2 });
  await look(wait, 3, wait.before.startHeight);
  const proof = { proved: ["p"], unproved: ["u"], state: 2, targetHeight: 43 };
  const [startedAt, syncedAt] = [begun, now].map((at) => new Date(at).toISOString()) as [string, string];
  await wait.end({ ...proof, startHeight: 2, currentHeight: 43, startedAt, syncedAt });
  expect(journeyIn(directory, "Anvil").slice(1)).toEqual([
    {
      at: "2026-11-18T09:43:00.000Z",
      stack: "prod",
      pillar: "Anvil",
      event: "synced",
      details: {
        ...start,
        syncedAt: "2026-11-18T09:43:00.000Z",
        startHeight: 2,
        currentHeight: 43,
        proved: ["p"],
        unproved: ["u"],
      },
    },
  ]);
  expect(waits(await opened())).toEqual(noWaits);
});

test("leaves out the waits of other hosts and stacks, and those before a deletion", async () => {
  const line = (event: string, details: object, stack = "prod") =>
    putEvent(directory, { at: start.startedAt, stack, pillar: "Anvil", event, details } as unknown as LogEvent);
  const waiting = { address: "203.0.113.7", ...start, startHeight: 5 };
  line("waiting", { ...waiting, address: "203.0.113.9" });
  line("waiting", waiting, "prod-2");
  expect(waits(await opened())).toEqual(noWaits);
  line("waiting", waiting);
  line("synced", {}, "prod-2");
  line("waiting", { ...waiting, startedAt: "2026-11-19T09:00:00Z", startHeight: 6 });
  expect(waits(await opened())).toEqual({ ...noWaits, startedAt: start.startedAt, startHeight: 5 });
  line("released", {});
  expect(waits(await opened())).toEqual(noWaits);
});

test("remembers the earlier producer address in the next run, and through it", async () => {
  for (const earlier of ["z1qold", undefined, undefined]) {
    const wait = await opened();
    await look(wait, 3);
    await wait.pause(earlier);
  }
  expect((await opened()).before.earlier).toBe("z1qold");
});

test("reports an unwritable event log and continues", async () => {
  writeFileSync(join(directory, "file"), "");
  const wait = await opened({ directory: join(directory, "file"), stack: "prod", pillar: "Anvil" });
  await look(wait, 3);
  await wait.pause();
  expect(said.length).toBeGreaterThan(0);
  for (const line of said)
    expect(line).toMatch(/^sync: the event log could not be (read|written) on this machine: .*\n {2}found: E/);
});

test("writes nothing without an event log", async () => {
  const wait = await createWaitLog(
    undefined,
    "203.0.113.7",
    () => now,
    (line) => said.push(line),
  );
  await look(wait, 40);
  await wait.pause();
  expect([journeyIn(directory, "Anvil"), said]).toEqual([[], []]);
});
