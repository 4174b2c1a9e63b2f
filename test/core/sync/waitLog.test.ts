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

/** Looks once a minute: the height is the minute, and the looks before the second see nothing. */
async function look(wait: WaitLog, minutes: number, startHeight?: number) {
  const observe = async () => (now < begun + 2 * minute ? none() : answer(1, (now - begun) / minute, 0));
  const client = wait.logObservations({ observe, close: () => undefined }, { ...start, startHeight });
  for (let i = 0; i < minutes; i += 1) {
    now += minute;
    await client.observe();
  }
}

const lines = () => journeyIn(directory, "Anvil") as (LogEvent & { event: "waiting" })[];
const minutes = ({ details }: LogEvent & { event: "waiting" }) => details.curve.map(([, height]) => height);

test("logs its start, then a line every half hour, and one at the end", async () => {
  const wait = await opened();
  await look(wait, 70);
  await wait.pause();
  await wait.pause();
  expect(
    lines()
      .map(minutes)
      .map((each) => [each.length, each[0], each.at(-1)]),
  ).toEqual([
    [1, 2, 2],
    [6, 3, 32],
    [6, 33, 62],
    [6, 63, 70],
  ]);
  expect(lines()[0]).toEqual({
    at: "2026-11-18T09:02:00.000Z",
    stack: "prod",
    pillar: "Anvil",
    event: "waiting",
    details: { address: "203.0.113.7", ...start, startHeight: 2, curve: [[begun + 2 * minute, 2, 0]] },
  });
  expect(lines().map(({ details }) => details.startHeight)).toEqual([2, 2, 2, 2]);
});

test("continues the start and the curve of a killed run", async () => {
  await look(await opened(), 40);
  const wait = await opened();
  expect([wait.before.startedAt, wait.before.startHeight, wait.before.curve.length]).toEqual([start.startedAt, 2, 7]);
  await look(wait, 3, wait.before.startHeight);
  const proof = { proved: ["p"], unproved: ["u"], state: 2, targetHeight: 43 };
  const [startedAt, syncedAt] = [begun, now].map((at) => new Date(at).toISOString()) as [string, string];
  await wait.end({ ...proof, startHeight: 2, currentHeight: 43, startedAt, syncedAt });
  const { details, ...entry } = journeyIn(directory, "Anvil").at(-1) as LogEvent & { event: "synced" };
  expect(entry).toEqual({ at: "2026-11-18T09:43:00.000Z", stack: "prod", pillar: "Anvil", event: "synced" });
  expect({ ...details, curve: details.curve.map(([, height]) => height) }).toEqual({
    ...start,
    syncedAt: "2026-11-18T09:43:00.000Z",
    startHeight: 2,
    currentHeight: 43,
    proved: ["p"],
    unproved: ["u"],
    curve: [2, 3, 11, 17, 22, 29, 32, 41, 42, 43],
  });
  expect((await opened()).before).toEqual({ curve: [] });
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

test("continues after an odd line in the event log", async () => {
  const details = { address: "203.0.113.7", startedAt: "" };
  putEvent(directory, { at: "", stack: "prod", pillar: "Anvil", event: "waiting", details } as unknown as LogEvent);
  expect((await opened()).before).toEqual({ curve: [] });
  expect(said).toEqual([expect.stringMatching(/^sync: /)]);
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
