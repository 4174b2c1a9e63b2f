import { describe, expect, test } from "vitest";
import { buildReport, parseEventLog } from "../../../cli/report/buildReport";
import { curve, syncing, textOf, wholeWay } from "./exampleRecord";

const told = (stack: string, lines: readonly object[] = wholeWay) => {
  const report = buildReport(parseEventLog(textOf(lines)), stack);
  if (!report) throw new Error(`nothing is told of ${stack}`);
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
  told(stack, lines).timeline.map(({ stack: whose, event, seconds }) => [whose, event, seconds]);

test("a chain that was copied is told with its size, its time and the hash of what came", () => {
  const details = { from: "192.0.2.1", files: 6200, bytes: 13_400_000_000, seconds: 1120, height: 12_000_000 };
  const lines = [
    host("prod", "18T09:00:00"),
    on("prod", "18T09:10:00", "chainCopyBegun", { from: "192.0.2.1" }),
    on("prod", "18T09:30:00", "chainCopied", { ...details, manifest: "ab".repeat(32), extraBytes: 250_000_000 }),
  ];
  const { timeline } = told("prod", lines);
  expect(timeline.map(({ title, seconds }) => [title, seconds])).toEqual([
    ["host 203.0.113.9 (existing)", undefined],
    ["chain copy started from 192.0.2.1", undefined],
    ["chain copied from 192.0.2.1, up to momentum 12000000", 1800],
  ]);
  expect(timeline[2]?.lines).toEqual([
    "13.4 GB in 6200 files, 19 min; extra space used there, at most: 250 MB",
    `hash of all files' hashes: ${"ab".repeat(32)}`,
  ]);
});

describe("the new host's report", () => {
  const report = told("prod-2");

  test("is of both stacks, from its own first event on", () => {
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

  test("has the time line of both, a stage's time since the one before it on its stack", () => {
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
        "last of z1qold0000000000000000000000000000000000: momentum 11985560 at 2026-11-20 17:59:30",
        "between: 5 min, in which other Pillars produced",
        "missed: none, by the slots of the whole network that stayed empty between the two",
        "this epoch so far: 122 of 124 momentums, by a count up to 5 min old",
      ],
      details: { empty: 0, figures: { expected: 124, produced: 122 } },
    });
    expect(report.timeline.filter(({ weight }) => weight === "alarm").map(({ event }) => event)).toEqual(["override"]);
  });

  test("has the sync with its curve and what was proved", () => {
    expect(report.timeline[2]).toMatchObject({
      lines: [
        "2026-11-18 09:10:00 to 2026-11-20 09:10:00 (2 d 00 h): height 0 to 11982400, 69.3 momentums a second",
        "height 11982400 reached target 11982400",
        "newest momentum is fresh by both clocks",
        "not proved: height agrees with independent nodes (sync.references)",
      ],
      details: { curve },
    });
  });

  test("has the signer's move with its backups and the time without a signer", () => {
    const items = report.timeline.filter(({ event }) => ["backup", "failed", "done"].includes(event));
    expect(items.map(({ title, lines }) => [title, ...lines])).toEqual([
      [
        "first backup, proved (14 files)",
        "pillar-host-prod-2-Anvil-1-first.tar.age, 95000 bytes",
        `sha256 ${"a1".repeat(32)}`,
        "opened with /home/ada/pillar-host/backups/identity.txt",
      ],
      ["signer: a run of its move failed", "198.51.100.4: the connection broke while the bulk was copied"],
      [
        "last backup, proved (14 files)",
        "pillar-host-prod-2-Anvil-1-last.tar.age, 95000 bytes",
        `sha256 ${"b2".repeat(32)}`,
        "opened with /home/ada/pillar-host/backups/identity.txt",
      ],
      ["signer moved here", "the new host holds the key", "version v0.0.9b", "time without this signer: 23.4 s"],
    ]);
  });
});

test("a wait that goes on is one item, with the curve so far, until its sync", () => {
  expect(told("prod-2", syncing).timeline.at(-1)).toMatchObject({
    at: "2026-11-18T23:10:00.000Z",
    stack: "prod-2",
    event: "waiting",
    details: { startHeight: 0, currentHeight: curve[7]?.[1], curve: curve.slice(0, 8) },
  });
  expect(stages("prod-2", syncing).map(([, event]) => event)).toEqual(["host", "waiting"]);
  expect(stages("prod-2", [...syncing, ...wholeWay.slice(3, 4)]).map(([, event]) => event)).toEqual(["host", "synced"]);
});

describe("whose events are told", () => {
  test("the old host's report begins with the old host, and has the new one's", () => {
    expect(told("prod")).toMatchObject({ stacks: ["prod", "prod-2"], from: at("02T08:00:00") });
    expect(stages("prod")).toHaveLength(wholeWay.length);
  });

  test("what came after a host was let go, and before another had begun, is another story", () => {
    const lines = [...wholeWay, host("prod-3", "25T08:00:00")];
    expect(told("prod", lines).stacks).toEqual(["prod", "prod-2"]);
    expect(told("prod-3", lines)).toMatchObject({ stacks: ["prod-3"], from: at("25T08:00:00") });
    expect(told("prod-2", lines).stacks).toEqual(["prod-2", "prod", "prod-3"]);
  });

  test("another Pillar's events in the same file are not", () => {
    expect(told("prod-2", [...wholeWay, host("smith", "19T08:00:00", "Smith")])).toEqual(told("prod-2"));
  });

  test("a stack that the record does not know has no report", () => {
    expect(buildReport(parseEventLog(textOf(wholeWay)), "prod-9")).toBeUndefined();
  });
});

test.each([
  [undefined, "missed: not known, no empty slots were counted between the two"],
  [0, "missed: none, by the slots of the whole network that stayed empty between the two"],
  [3, "missed: 3 at most, by the slots of the whole network that stayed empty between the two"],
])("the missed momentums are the empty slots that were counted: %s", (empty, line) => {
  const details = { producerAddress: "new", height: 9, switchedAt: at("20T18:04:30"), empty };
  expect(told("new", [on("new", "20T18:06:00", "producing", details)]).timeline[0]?.lines).toContain(line);
});

const head = { version: 1, at: "2026-11-18T09:00:00Z", stack: "prod", pillar: "Anvil" };

test("every line of a whole way is read", () => {
  const { entries, unread } = parseEventLog(textOf(wholeWay));
  expect([entries.length, unread]).toEqual([14, 0]);
});

test.each([
  ["one that was broken off", '{"at":"2026-11-18T09:00:00Z","stack":"pr'],
  ["one that is no object", "null"],
  ["an event of another version", JSON.stringify({ ...head, event: "flown", details: {} })],
  ["an event that an object has anyway", JSON.stringify({ ...head, event: "toString", details: {} })],
  ["a time that is none", JSON.stringify({ ...head, at: "soon", event: "refused", details: { reasons: [] } })],
  ["a detail of another kind", JSON.stringify({ ...head, event: "refused", details: { reasons: "many" } })],
  ["no details", JSON.stringify({ ...head, event: "refused" })],
])("%s is counted, and hides nothing else", (_what, line) => {
  const { entries, unread } = parseEventLog(`${textOf(wholeWay)}${line}\n\n`);
  expect([entries.length, unread]).toEqual([14, 1]);
});

test("a move that was brought back says who holds the key", () => {
  const move = "pillar-host/prod-2/Anvil/2";
  const lines = [
    host("prod-2", "01T00:00:00"),
    { at: at("02T00:00:00"), move, event: "rolledBack", details: { holder: "old", version: "v1" } },
  ];
  expect(told("prod-2", lines).timeline.at(-1)).toMatchObject({
    title: "signer brought back to the old host",
    lines: ["the old host holds the key", "version v1", "time without this signer: not known, more than one run"],
  });
});

test("rewards that the operator spoke for are marked", () => {
  const said = on("prod", "02T00:00:00", "rewards", { evidence: ["said so"], saidBy: "operator" });
  const report = told("prod", [said]);
  expect(report.timeline[0]).toMatchObject({
    title: "rewards collected",
    lines: ["said by the operator", "said so"],
  });
});

test("a look that finds registration and first momentum at once tells them in their order", () => {
  const producerAddress = "z1qnew";
  const switched = { producerAddress, height: 9, switchedAt: at("20T10:00:00") };
  const both = [
    on("prod-2", "20T10:05:00", "registered", { producerAddress }),
    on("prod-2", "20T10:05:00", "producing", switched),
  ];
  const report = told("prod-2", [host("prod-2", "20T09:00:00"), ...both]);
  expect(report.timeline.map(({ event }) => event)).toEqual(["host", "registered", "producing"]);
});

test("a registration that was seen only after its first momentum, which the next look found, is told before it", () => {
  const registered = (time: string, producerAddress: string) => on("new", time, "registered", { producerAddress });
  const producing = (time: string, switchedAt: string, producerAddress = "a") =>
    on("new", time, "producing", { producerAddress, height: 9, switchedAt: at(switchedAt) });
  const orderOf = (...lines: readonly object[]) =>
    told("new", [host("new", "01T00:00:00"), ...lines]).timeline.map(({ event }) => event);
  expect(orderOf(registered("03T00:00:07", "a"), producing("03T00:00:17", "03T00:00:06"))).toEqual([
    ...["host", "registered", "producing"],
  ]);

  // Taken back and given again: each is told where it was.
  const back = on("new", "04T00:00:00", "registeredElsewhere", { producerAddress: "b" });
  const lines = [registered("03T00:00:00", "a"), back, registered("05T00:00:00", "a")];
  expect(orderOf(...lines, producing("05T00:00:10", "05T00:00:05"))).toEqual([
    ...["host", "registered", "registeredElsewhere", "registered", "producing"],
  ]);
  expect(orderOf(registered("03T00:00:07", "a"), producing("03T00:00:17", "03T00:00:06", "b"))).toEqual([
    ...["host", "producing", "registered"],
  ]);
});
