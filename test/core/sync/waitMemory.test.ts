import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Observation } from "../../../core/chain/node.ts";
import { openEventLog } from "../../../core/eventLog/eventLog.ts";
import { waitForSync } from "../../../core/sync/waitForSync.ts";
import { findWaiting, noteWaiting, type WaitStanding } from "../../../core/sync/waitMemory.ts";
import { hasKind } from "../../../core/util/problem.ts";
import { journeyIn } from "../../recordIn.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { answer, hour, none } from "./looks.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});
const directory = scratchDirectory();
const begun = Date.parse("2026-11-18T09:00:00Z");
const day = 24 * hour;
const host = { address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA" };
const settings = {
  stack: "prod",
  wait: "await",
  stallAfter: 15 * 60_000,
  deadline: 7 * day,
  confirmations: 3,
  confirmSpan: 0,
  tolerance: 20,
  isChainUnverified: true,
  service: "go-node",
  dataDir: "/root/.znn",
} as const;
type Changes = Parameters<typeof noteWaiting>[1] | object;

/** Waits for a sync as a run of the gate does, `after` the first one. Each run has a monotonic clock of its own. */
async function run(after: number, observation: Observation, changes: Changes = {}, setUp?: string) {
  const now = () => begun + after;
  vi.setSystemTime(now());
  vi.spyOn(performance, "now").mockReturnValue(after % 777);
  const clock = { now, ticks: () => performance.now(), sleep: () => Promise.reject(new Error("it waits")) };
  const log = openEventLog({ directory: directory(), stack: "prod", pillar: "Anvil" }, { now, say: expect.fail });
  const own = { ...settings, ...changes };
  const before = findWaiting(await log.read(), "prod", { ...host, setUp });
  const { startedAt = new Date(now()).toISOString(), startHeight, earlier = "z1qold" } = before ?? {};
  const kept = { startedAt, startHeight, earlier };
  const [notices, lines]: string[][] = [[], []];
  let standing: WaitStanding | undefined;
  const error: Error = await waitForSync(
    { ...own, ...kept, startedAt: Date.parse(startedAt), ssh: { ...host, user: "root", port: 22 }, before },
    {
      ...clock,
      client: { observe: async () => observation },
      readWitnesses: async () => ({ readings: [] }),
      readVersionGaps: async () => [],
      say: (line) => void lines?.push(line),
      notify: (event, text) => void notices?.push(`${event}: ${text}`),
      seen: (progress, seen) => {
        standing = seen;
        if (progress.observation.kind === "answer") kept.startHeight ??= progress.observation.info.currentHeight;
      },
    },
  ).then(
    () => expect.fail("it is synced"),
    (thrown: Error) => thrown,
  );
  await noteWaiting(log, own, { ...host, setUp, ...kept }, standing as WaitStanding);
  const isAwaiting = hasKind(error, "awaiting");
  return { isAwaiting, notices, lines: lines?.join("\n"), message: error.message, startHeight: kept.startHeight };
}
const at = (height: number) => answer(1, height, 10_000);
const logged = () => journeyIn(directory(), "Anvil").map(({ details }) => details);

test("runs an hour apart notify of a stall once, fail while it lasts, and notify of its end", async () => {
  expect(await run(0, at(5000))).toMatchObject({ isAwaiting: true, notices: [] });
  const second = await run(hour, at(5000));
  expect(second).toMatchObject({ isAwaiting: false, notices: ["stalled: the height has been 5000 for 1 h 00 min"] });
  expect(second.message).toMatch(/is not synced yet.*\n.*\n {2}needed: find out why the height does not advance/);
  const third = await run(2 * hour, at(5000));
  expect(third).toMatchObject({ isAwaiting: false, notices: [] });
  expect(third.lines).toContain("sync: stalled: the height has been 5000 for 2 h 00 min");
  // A silent node has not ended its stall.
  expect(await run(3 * hour, none())).toMatchObject({ isAwaiting: false, notices: [] });
  expect(await run(4 * hour, at(5001))).toMatchObject({
    isAwaiting: true,
    notices: ["over: the stall is over, height 5001"],
  });
  expect(await run(5 * hour, at(5002))).toMatchObject({ isAwaiting: true, notices: [] });
});

test("a node that grows, or was silent once, has not stalled", async () => {
  const heights = [at(10), at(20), none(), at(30), none(), at(40)];
  for (const [index, each] of heights.entries())
    expect(await run(index * hour, each)).toMatchObject({ isAwaiting: true, notices: [] });
});

test("a node that is silent from run to run has stalled", async () => {
  await run(0, at(10));
  expect(await run(hour, none())).toMatchObject({ isAwaiting: true, notices: [] });
  const { isAwaiting, notices } = await run(2 * hour, none());
  expect([isAwaiting, notices]).toEqual([false, ["stalled: the node has not returned its height for 1 h 00 min"]]);
});

test("the deadline counts from the first run, is notified once, and lets a job fail until it is longer", async () => {
  await run(0, at(10));
  expect(await run(7 * day - hour, at(20))).toMatchObject({ isAwaiting: true, notices: [] });
  const late = await run(7 * day, at(30));
  expect(late.isAwaiting).toBe(false);
  expect(late.notices).toEqual([
    "deadline: the node has not synced within 7 d 00 h (pillar-host:sync.deadline); to go on waiting: pulumi up -s prod",
  ]);
  expect(late.message).toContain(
    "needed: let such runs wait longer: pulumi config set --path pillar-host:sync.deadline 30d -s prod",
  );
  expect(await run(7 * day + hour, at(40))).toMatchObject({ isAwaiting: false, notices: [] });
  const longer = { deadline: 8 * day };
  expect(await run(7 * day + 2 * hour, at(50), longer)).toMatchObject({ isAwaiting: true, notices: [] });
  expect((await run(8 * day, at(60), longer)).notices).toHaveLength(1);
});

test("a later run knows start, first height and the address registered before", async () => {
  await run(0, none());
  await run(hour, at(10));
  expect((await run(2 * hour, at(20))).message).toContain("since 2026-11-18 09:00 UTC");
  const start = { startedAt: "2026-11-18T09:00:00.000Z", startHeight: 10, earlier: "z1qold" };
  expect(logged().at(-1)).toEqual({ ...host, ...start, height: 20, since: "2026-11-18T11:00:00.000Z" });
});

test("a wait that a clock a year ahead logged begins anew, and counts stall and deadline", async () => {
  await run(365 * day, at(10));
  expect(await run(0, at(10))).toMatchObject({ isAwaiting: true, notices: [] });
  expect((await run(hour, at(10))).notices).toEqual(["stalled: the height has been 10 for 1 h 00 min"]);
  expect((await run(7 * day, at(20))).notices).toEqual([
    "over: the stall is over, height 20",
    expect.stringMatching(/^deadline: the node has not synced within 7 d/),
  ]);
});

test.each(["await", "block"] as const)(
  "a store that can't be written fails a run that looks once: %s",
  async (wait) => {
    const said: string[] = [];
    mkdirSync(join(directory(), "record.jsonl"));
    const log = openEventLog(
      { directory: directory(), stack: "prod", pillar: "Anvil" },
      { now: () => begun, say: (line) => void said.push(line) },
    );
    const start = { ...host, startedAt: new Date(begun).toISOString(), startHeight: 10, earlier: undefined };
    const standing = { height: 10, at: 0, isStalled: false, isLate: false };
    const noted = noteWaiting(log, { ...settings, wait }, start, standing).then(
      () => said.join(),
      (error: Error) => `failed: ${error.message}`,
    );
    expect(await noted).toMatch(
      wait === "await" ? /^failed: the event log could not be/ : /^the event log could not be/,
    );
  },
);

test("a run that waits itself counts neither stall nor deadline of the runs before", async () => {
  await run(0, at(10));
  const { message, notices, lines } = await run(30 * day, at(10), { wait: "block" });
  expect([message, notices]).toEqual(["it waits", []]);
  expect(lines).not.toContain("stalled");
});

test("the wait for a disk that was set back, and the one after a proof, begin anew", async () => {
  await run(0, at(10));
  expect(await run(hour, at(10), {}, "2")).toMatchObject({ isAwaiting: true, notices: [], startHeight: 10 });
  expect(logged().at(-1)).toMatchObject({ setUp: "2", startedAt: "2026-11-18T10:00:00.000Z" });
  const log = openEventLog(
    { directory: directory(), stack: "prod", pillar: "Anvil" },
    { now: () => begun, say: expect.fail },
  );
  await log.add({ event: "synced", details: {} as never });
  expect(findWaiting(await log.read(), "prod", { ...host, setUp: "2" })).toBeUndefined();
});

test("a growing height is logged once an hour", async () => {
  for (let minutes = 0; minutes <= 180; minutes += 10) await run(minutes * 60_000, at(10 + minutes));
  expect(logged()).toHaveLength(4);
});
