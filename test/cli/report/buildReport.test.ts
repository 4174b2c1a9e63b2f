import { expect, test } from "vitest";
import { buildReport, parseEventLog } from "../../../cli/report/buildReport.ts";
import { linesOf, wholeWay } from "./exampleLog.ts";

const reportOn = (stack: string, lines: readonly object[] = wholeWay) => {
  const report = buildReport(parseEventLog(linesOf(lines), "here"), stack);
  if (!report) throw new Error(`no event of ${stack}`);
  return report;
};
const at = (rest: string) => `2026-11-${rest}Z`;
const on = (stack: string, rest: string, event: string, details: object, pillar = "Anvil") =>
  ({ at: at(rest), stack, pillar, event, details }) as const;
const host = (stack: string, time: string, pillar?: string) =>
  on(stack, time, "host", { address: "203.0.113.9", provider: "existing" }, pillar);
const stages = (stack: string, lines: readonly object[] = wholeWay) =>
  reportOn(stack, lines).timeline.map(({ stack: owner, event, seconds }) => [owner, event, seconds]);
const textsOf = (lines: readonly object[], ...events: readonly string[]) =>
  reportOn("prod-2", lines)
    .timeline.filter(({ event }) => events.includes(event))
    .map(({ title, lines: each }) => [title, ...each]);

test("the new host's report covers both stacks from the first event of its own stack on", () => {
  const { timeline: _, ...report } = reportOn("prod-2");
  expect(report).toEqual({
    ...{ stack: "prod-2", pillar: "Anvil", stacks: ["prod-2", "prod"], unread: 0 },
    ...{ from: at("18T09:00:00"), to: at("21T12:00:05") },
  });
});

test("the new host's report lists the events of both stacks, with the time between the stages of one stack", () => {
  expect(stages("prod-2")).toEqual([
    ["prod-2", "host", undefined],
    ["prod", "refused", undefined],
    ["prod-2", "synced", 173_400],
    ["prod-2", "backup", undefined],
    ["prod-2", "secured", undefined],
    ["prod-2", "failed", undefined],
    ["prod-2", "backup", undefined],
    ["prod-2", "done", 3030],
    ["prod-2", "registered", 28_770],
    ["prod-2", "producing", 270],
    ["prod", "shutDown", undefined],
    ["prod", "override", undefined],
    ["prod", "released", 61_205],
  ]);
});

test("the new host's report has the details of sync, switch and move", () => {
  expect(textsOf(wholeWay, "synced", "producing", "done")).toEqual([
    [
      "synced at height 11982400",
      "2026-11-18 09:10:00 to 2026-11-20 09:10:00 (2 d 00 h): height 0 to 11982400, 69.3 momentums a second",
      "height 11982400 reached target 11982400",
      "newest momentum is fresh by both clocks",
      "not proved: height agrees with independent nodes (sync.references)",
    ],
    ["orchestrator moved here", "the new host holds the key", "version v0.0.9b", expect.stringMatching(/: 23\.4 s$/)],
    [
      "produces: momentum 11985590",
      "of z1qnew0000000000000000000000000000000000, at 2026-11-20 18:04:30",
      "address before: z1qold0000000000000000000000000000000000",
    ],
  ]);
  expect(textsOf(wholeWay, "backup")[0]).toContain("pillar-host-prod-2-Anvil-1-first.tar.age, 95000 bytes");
});

const second = "pillar-host/prod-2/Anvil/2";
const copied = { from: "192.0.2.1", files: 6200, bytes: 134e8, seconds: 1120, height: 12 };
test.each<[string, object, string[]]>([
  [
    "a chain copy with its size and its duration",
    on("prod-2", "18T09:30:00", "chainCopied", copied),
    ["chain copied from 192.0.2.1, up to momentum 12", "13.4 GB in 6200 files, 19 min"],
  ],
  [
    "who holds the key after a rolled back move",
    { at: at("19T00:00:00"), move: second, event: "rolledBack", details: { holder: "old", version: "v1" } },
    [
      "orchestrator moved back to the old host",
      "the old host holds the key",
      "version v1",
      "time without the orchestrator: unknown: the move took more than one run",
    ],
  ],
])("the new host's report tells %s", (_what, line, texts) => {
  const { title, lines } = reportOn("prod-2", [host("prod-2", "01T00:00:00"), line]).timeline[1] ?? {};
  expect([title, ...(lines ?? [])]).toEqual(texts);
});

test("lists a wait as one item until the node is synced", () => {
  const wait = { address: "203.0.113.7", hostKey: "x", startedAt: "2026-11-18T09:10:00Z", startHeight: 0, since: "x" };
  const runs = ["11", "23"].map((hour) => ({
    ...{ at: `2026-11-18T${hour}:10:00Z`, stack: "prod-2", pillar: "Anvil", event: "waiting", details: wait },
  }));
  const syncing = [...wholeWay.slice(1, 2), ...runs];
  expect(reportOn("prod-2", syncing).timeline.at(-1)).toMatchObject({
    ...{ at: "2026-11-18T23:10:00Z", event: "waiting", lines: ["since 2026-11-18 09:10:00", "from height 0"] },
  });
  expect(stages("prod-2", syncing).map(([, event]) => event)).toEqual(["host", "waiting"]);
  expect(stages("prod-2", [...syncing, ...wholeWay.slice(3, 4)]).map(([, event]) => event)).toEqual(["host", "synced"]);
});

test("the events exclude what came after the host was retired and before the new host was created", () => {
  const lines = [...wholeWay, host("prod-3", "25T08:00:00")];
  expect(reportOn("prod", lines).stacks).toEqual(["prod", "prod-2"]);
  expect(reportOn("prod-3", lines)).toMatchObject({ stacks: ["prod-3"], from: at("25T08:00:00") });
  expect(reportOn("prod-2", lines).stacks).toEqual(["prod-2", "prod", "prod-3"]);
});

test("the events exclude another Pillar in the same file, and a stack that the event log does not name", () => {
  expect(reportOn("prod-2", [...wholeWay, host("smith", "19T08:00:00", "Smith")])).toEqual(reportOn("prod-2"));
  expect(buildReport(parseEventLog(linesOf(wholeWay), "here"), "prod-9")).toBeUndefined();
});

test("the events stay in the log's order: a registration that was noticed late comes before the first momentum", () => {
  const registered = on("new", "03T00:00:07", "registered", { producerAddress: "a" });
  const details = { producerAddress: "a", height: 9, switchedAt: at("03T00:00:06") };
  const lines = [host("new", "01T00:00:00"), registered, on("new", "03T00:00:17", "producing", details)];
  const told = stages("new", lines).map(([, event, seconds]) => `${event} ${seconds}`);
  expect(told).toEqual(["host undefined", "registered 172807", "producing undefined"]);
});

const head = { version: 1, at: "2026-11-18T09:00:00Z", stack: "prod", pillar: "Anvil" };

test.each([
  ["an incomplete line", '{"at":"2026-11-18T09:00:00Z","stack":"pr'],
  ["an event of another version", JSON.stringify({ ...head, event: "flown", details: {} })],
  ["an event with the name of an object's method", JSON.stringify({ ...head, event: "toString", details: {} })],
  ["an invalid time", JSON.stringify({ ...head, at: "soon", event: "refused", details: { reasons: [] } })],
  [
    "a detail that is no time",
    JSON.stringify({ ...head, event: "producing", details: { producerAddress: "a", height: 1, switchedAt: "soon" } }),
  ],
])("counts %s as unread, and keeps the other lines", (_what, line) => {
  const { entries, unread } = parseEventLog([...linesOf(wholeWay), line], "here");
  expect([entries.length, unread]).toEqual([14, 1]);
});
