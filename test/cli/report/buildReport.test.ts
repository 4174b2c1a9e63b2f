import { describe, expect, test } from "vitest";
import { buildReport, parseEventLog } from "../../../cli/report/buildReport";
import { syncing, textOf, wholeWay } from "./exampleLog";

const reportOn = (stack: string, lines: readonly object[] = wholeWay) => {
  const report = buildReport(parseEventLog(textOf(lines)), stack);
  if (!report) throw new Error(`no event of ${stack}`);
  return report;
};
const at = (rest: string) => `2026-11-${rest}Z`;
const on = (stack: string, time: string, event: string, details: object, pillar = "Anvil") => ({
  at: at(time),
  stack,
  pillar,
  event,
  details,
});
const host = (stack: string, time: string, pillar?: string) =>
  on(stack, time, "host", { address: "203.0.113.9", provider: "existing" }, pillar);
const stages = (stack: string, lines: readonly object[] = wholeWay) =>
  reportOn(stack, lines).timeline.map(({ stack: owner, event, seconds }) => [owner, event, seconds]);

test("lists a chain copy with its size and its duration", () => {
  const details = { from: "192.0.2.1", files: 6200, bytes: 13_400_000_000, seconds: 1120, height: 12_000_000 };
  const lines = [
    host("prod", "18T09:00:00"),
    on("prod", "18T09:10:00", "chainCopyBegun", { from: "192.0.2.1" }),
    on("prod", "18T09:30:00", "chainCopied", details),
  ];
  const { timeline } = reportOn("prod", lines);
  expect(timeline.map(({ title, seconds }) => [title, seconds])).toEqual([
    ["host 203.0.113.9 (existing)", undefined],
    ["chain copy started from 192.0.2.1", undefined],
    ["chain copied from 192.0.2.1, up to momentum 12000000", 1800],
  ]);
  expect(timeline[2]?.lines).toEqual(["13.4 GB in 6200 files, 19 min"]);
});

describe("the report of the new host", () => {
  const report = reportOn("prod-2");

  test("covers both stacks from the first event of its own stack on", () => {
    expect({ ...report, timeline: 0 }).toEqual({
      stack: "prod-2",
      pillar: "Anvil",
      stacks: ["prod-2", "prod"],
      from: at("18T09:00:00"),
      to: at("21T12:00:05"),
      unread: 0,
      timeline: 0,
    });
  });

  test("lists the events of both stacks, with the time between the stages of one stack", () => {
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
    expect(report.timeline[9]).toMatchObject({
      at: "2026-11-20T18:04:30Z",
      stack: "prod-2",
      event: "producing",
      weight: "stage",
      seconds: 270,
      title: "produces: momentum 11985590",
      lines: [
        "of z1qnew0000000000000000000000000000000000, at 2026-11-20 18:04:30",
        "last momentum of z1qold0000000000000000000000000000000000: 11985560 at 2026-11-20 17:59:30",
        "between both momentums: 5 min (other Pillars produced then)",
      ],
    });
    expect(report.timeline.filter(({ weight }) => weight === "alarm").map(({ event }) => event)).toEqual(["override"]);
  });

  test("lists the sync with its proofs", () => {
    expect(report.timeline[2]).toMatchObject({
      lines: [
        "2026-11-18 09:10:00 to 2026-11-20 09:10:00 (2 d 00 h): height 0 to 11982400, 69.3 momentums a second",
        "height 11982400 reached target 11982400",
        "newest momentum is fresh by both clocks",
        "not proved: height agrees with independent nodes (sync.references)",
      ],
    });
  });

  test("lists the orchestrator's move with its backups and the time without the orchestrator", () => {
    const items = report.timeline.filter(({ event }) => ["backup", "failed", "done"].includes(event));
    expect(items.map(({ title, lines }) => [title, ...lines])).toEqual([
      [
        "first backup, proved (14 files)",
        "pillar-host-prod-2-Anvil-1-first.tar.age, 95000 bytes",
        `sha256 ${"a1".repeat(32)}`,
        "opened with /home/ada/pillar-host/backups/identity.txt",
      ],
      ["orchestrator: a run of the move failed", "198.51.100.4: the connection broke while the bulk was copied"],
      [
        "last backup, proved (14 files)",
        "pillar-host-prod-2-Anvil-1-last.tar.age, 95000 bytes",
        `sha256 ${"b2".repeat(32)}`,
        "opened with /home/ada/pillar-host/backups/identity.txt",
      ],
      [
        "orchestrator moved here",
        "the new host holds the key",
        "version v0.0.9b",
        "time without the orchestrator: 23.4 s",
      ],
    ]);
  });
});

test("lists a wait as one item until the node is synced", () => {
  expect(reportOn("prod-2", syncing).timeline.at(-1)).toMatchObject({
    at: "2026-11-18T23:10:00Z",
    stack: "prod-2",
    event: "waiting",
    lines: ["since 2026-11-18 09:10:00", "from height 0"],
  });
  expect(stages("prod-2", syncing).map(([, event]) => event)).toEqual(["host", "waiting"]);
  expect(stages("prod-2", [...syncing, ...wholeWay.slice(3, 4)]).map(([, event]) => event)).toEqual(["host", "synced"]);
});

describe("the events of a report", () => {
  test("begin with the old host and include the new host", () => {
    expect(reportOn("prod")).toMatchObject({ stacks: ["prod", "prod-2"], from: at("02T08:00:00") });
    expect(stages("prod")).toHaveLength(wholeWay.length);
  });

  test("exclude what came after the host was retired and before the new host was created", () => {
    const lines = [...wholeWay, host("prod-3", "25T08:00:00")];
    expect(reportOn("prod", lines).stacks).toEqual(["prod", "prod-2"]);
    expect(reportOn("prod-3", lines)).toMatchObject({ stacks: ["prod-3"], from: at("25T08:00:00") });
    expect(reportOn("prod-2", lines).stacks).toEqual(["prod-2", "prod", "prod-3"]);
  });

  test("exclude another Pillar in the same file", () => {
    expect(reportOn("prod-2", [...wholeWay, host("smith", "19T08:00:00", "Smith")])).toEqual(reportOn("prod-2"));
  });

  test("are none for a stack that the event log does not name", () => {
    expect(buildReport(parseEventLog(textOf(wholeWay)), "prod-9")).toBeUndefined();
  });
});

const head = { version: 1, at: "2026-11-18T09:00:00Z", stack: "prod", pillar: "Anvil" };

test.each([
  ["an incomplete line", '{"at":"2026-11-18T09:00:00Z","stack":"pr'],
  ["a line that is no object", "null"],
  ["an event of another version", JSON.stringify({ ...head, event: "flown", details: {} })],
  ["an event with the name of an object's method", JSON.stringify({ ...head, event: "toString", details: {} })],
  ["an invalid time", JSON.stringify({ ...head, at: "soon", event: "refused", details: { reasons: [] } })],
  ["a detail that is no time", JSON.stringify({ ...head, event: "waiting", details: { startedAt: "soon" } })],
  ["no details", JSON.stringify({ ...head, event: "refused" })],
])("counts %s as unread, and keeps the other lines", (_what, line) => {
  const { entries, unread } = parseEventLog(`${textOf(wholeWay)}${line}\n\n`);
  expect([entries.length, unread]).toEqual([14, 1]);
});

test("says who holds the key after a rolled back move", () => {
  const move = "pillar-host/prod-2/Anvil/2";
  const lines = [
    host("prod-2", "01T00:00:00"),
    { at: at("02T00:00:00"), move, event: "rolledBack", details: { holder: "old", version: "v1" } },
  ];
  expect(reportOn("prod-2", lines).timeline.at(-1)).toMatchObject({
    title: "orchestrator moved back to the old host",
    lines: [
      "the old host holds the key",
      "version v1",
      "time without the orchestrator: unknown: the move took more than one run",
    ],
  });
});

test("marks rewards that the operator confirmed", () => {
  const said = on("prod", "02T00:00:00", "rewards", { evidence: ["said so"], saidBy: "operator" });
  const report = reportOn("prod", [said]);
  expect(report.timeline[0]).toMatchObject({
    title: "rewards collected",
    lines: ["confirmed by the operator", "said so"],
  });
});

test("lists a registration before its first momentum if the lookup found it later", () => {
  const registered = (time: string, producerAddress: string) => on("new", time, "registered", { producerAddress });
  const producing = (time: string, switchedAt: string, producerAddress = "a") =>
    on("new", time, "producing", { producerAddress, height: 9, switchedAt: at(switchedAt) });
  const orderOf = (...lines: readonly object[]) =>
    reportOn("new", [host("new", "01T00:00:00"), ...lines]).timeline.map(({ event }) => event);
  expect(orderOf(registered("03T00:00:07", "a"), producing("03T00:00:17", "03T00:00:06"))).toEqual([
    ...["host", "registered", "producing"],
  ]);

  // Registered, reverted and registered again: each keeps its place.
  const back = on("new", "04T00:00:00", "registeredElsewhere", { producerAddress: "b" });
  const lines = [registered("03T00:00:00", "a"), back, registered("05T00:00:00", "a")];
  expect(orderOf(...lines, producing("05T00:00:10", "05T00:00:05"))).toEqual([
    ...["host", "registered", "registeredElsewhere", "registered", "producing"],
  ]);
  expect(orderOf(registered("03T00:00:07", "a"), producing("03T00:00:17", "03T00:00:06", "b"))).toEqual([
    ...["host", "producing", "registered"],
  ]);
});
