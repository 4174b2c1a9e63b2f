import { describe, expect, test } from "vitest";
import { buildReport, parseEventLog } from "../../../cli/report/buildReport.ts";
import type { Window } from "../../../cli/report/findFigures.ts";
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
  expect(reportOn("prod-2")).toMatchObject({
    ...{ stack: "prod-2", pillar: "Anvil", stacks: ["prod-2", "prod"], unread: 0 },
    ...{ from: at("18T09:00:00"), to: at("21T12:00:05") },
  });
});

test("the new host's report lists the events of both stacks, with the time since the stage before, on any host", () => {
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
    ["prod", "shutDown", 3330],
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
    ["orchestrator moved here, 23.4 s without it", "the new host holds the key", "version v0.0.9b"],
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
      "orchestrator moved back to the old host, unknown how long without it",
      "the old host holds the key",
      "version v1",
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

test("a registration that was noticed late comes before the first momentum, at its time", () => {
  const registered = on("new", "03T00:00:07", "registered", { producerAddress: "a" });
  const details = { producerAddress: "a", height: 9, switchedAt: at("03T00:00:06") };
  const lines = [host("new", "01T00:00:00"), registered, on("new", "03T00:00:17", "producing", details)];
  const told = stages("new", lines).map(([, event, seconds]) => `${event} ${seconds}`);
  expect(told).toEqual(["host undefined", "registered 172806", "producing 0"]);
  expect(reportOn("new", lines).timeline[1]).toMatchObject({
    at: at("03T00:00:06"),
    title: "registered on chain (seen at 00:00)",
  });
});

test("events stand by their time, though a run wrote one late", () => {
  const details = {
    startedAt: at("01T01:00:00"),
    syncedAt: at("02T00:00:00"),
    startHeight: 0,
    currentHeight: 9,
    proved: [],
    unproved: [],
  };
  const shut = on("prod", "02T01:00:00", "shutDown", { address: "b", evidence: [] });
  const lines = [host("new", "01T00:00:00"), shut, on("new", "02T02:00:00", "synced", details)];
  expect(stages("new", lines)).toEqual([
    ["new", "host", undefined],
    ["new", "synced", 86_400],
    ["prod", "shutDown", 3600],
  ]);
});

describe("the wallet's detour", () => {
  const elsewhere = (time: string, producerAddress: string) =>
    on("prod-2", time, "registeredElsewhere", { producerAddress, earlier: "old" });
  const detours = (...lines: readonly object[]) =>
    reportOn("prod-2", [host("prod-2", "01T00:00:00"), ...lines]).timeline.flatMap(({ event, title, detourSeconds }) =>
      event === "registeredElsewhere" ? [[title, detourSeconds]] : [],
    );

  test("lasts until the next registration that a run saw", () => {
    const end = on("prod-2", "02T08:05:00", "registered", { producerAddress: "new" });
    const others = on("prod", "02T08:01:00", "registered", { producerAddress: "new" });
    expect(detours(elsewhere("02T08:00:00", "foreign"), others, end)).toEqual([
      ["another address registered on chain for 5 min", 300],
    ]);
  });

  test("has no duration while it lasts", () => {
    expect(detours(elsewhere("02T08:00:00", "foreign"))).toEqual([["another address registered on chain", undefined]]);
  });
});

describe("the time without an orchestrator", () => {
  const first = "pillar-host/prod-2/Anvil/1";
  const leg = { direction: "forward", generation: 1, source: "a", target: "b" };
  const end = (time: string, seconds?: number, event = "done") => ({
    at: at(time),
    move: first,
    event,
    details: { holder: "new", generation: 1, version: "v1", movedAt: at(time), secondsWithoutSigner: seconds },
  });
  const begun = { at: at("02T08:00:00"), move: first, event: "begun", details: leg };
  const starting = { at: at("02T08:00:30"), move: first, event: "starting", details: leg };
  const failed = (time: string, seconds?: number) => ({
    at: at(time),
    move: first,
    event: "failed",
    details: { error: "e", secondsWithoutSigner: seconds },
  });
  test.each<[string, readonly object[], number | undefined, readonly object[]]>([
    ["of one run", [begun, starting, end("02T08:00:34", 3.4)], 3.4, [{ seconds: 3.4 }]],
    [
      "of a cut-off move, from the first stop on",
      [begun, starting, failed("02T08:02:00"), end("02T08:05:30", 299.2)],
      299.2,
      [{ seconds: 299.2 }],
    ],
    [
      "of a failed run that went back, and of the next one",
      [begun, starting, failed("02T08:01:00", 12), starting, end("02T08:05:30", 3.1)],
      15.1,
      [{ seconds: 12 }, { seconds: 3.1 }],
    ],
    [
      "of a move there and back",
      [starting, end("02T08:00:34", 3), starting, end("02T09:00:00", 4, "rolledBack")],
      7,
      [{ seconds: 3 }, { seconds: 4 }],
    ],
    [
      "of a way back without the time of the stop",
      [starting, end("02T08:05:30", undefined, "rolledBack")],
      undefined,
      [{ unknown: "nobody knows when it stopped" }],
    ],
    [
      "without the time of the stop",
      [begun, starting, end("02T08:05:30")],
      undefined,
      [{ unknown: "nobody knows when it stopped" }],
    ],
    ["of a move that was cut off", [begun, starting], undefined, [{ unknown: "a move of it has not ended" }]],
    ["of a move that stopped nothing yet", [begun, failed("02T08:00:10")], 0, []],
  ])("%s", (_what, lines, seconds, gaps) => {
    const found = reportOn("prod-2", [host("prod-2", "01T00:00:00"), ...lines]);
    expect(found.orchestratorGaps).toMatchObject(gaps);
    expect(found.orchestratorGaps).toHaveLength(gaps.length);
    expect(found.secondsWithoutOrchestrator).toBe(seconds);
  });
});

describe("the time in which slots may have been missed", () => {
  const windowOf = (lines: readonly object[], stack = "prod-2") => reportOn(stack, lines).window;
  const time = (rest: string) => Date.parse(at(rest));

  test("is from the first risk to the old node's shutdown, with whose the addresses are", () => {
    const { from, to, owners } = windowOf(wholeWay) as Exclude<Window, { unknown: string }>;
    expect([from, to]).toEqual([time("20T18:00:00"), time("20T19:00:00")]);
    expect([...owners.values()]).toEqual(["new", "old"]);
    // The old host's stack has no registration of its own.
    expect(windowOf(wholeWay, "prod")).toEqual({ from, to, owners });
  });

  test("begins with the move, has a third address, and lasts while another address is registered", () => {
    const begun = {
      at: at("20T09:59:00"),
      move: "pillar-host/prod-2/Anvil/1",
      event: "begun",
      details: { direction: "forward", generation: 1 },
    };
    const lines = [
      ...wholeWay.slice(0, 11),
      begun,
      on("prod-2", "20T18:30:00", "registeredElsewhere", { producerAddress: "third" }),
    ];
    const { from, to, owners } = windowOf(lines) as Exclude<Window, { unknown: string }>;
    expect([from, to, owners.get("third")]).toEqual([time("20T09:59:00"), undefined, "other"]);
  });

  test.each<[string, readonly object[], string]>([
    ["no run saw this host's address", [], "the event log does not have the new host's producer address"],
    [
      "the address before is not known",
      [on("prod-2", "03T00:00:00", "registered", { producerAddress: "a" })],
      "the event log does not have the old host's producer address",
    ],
  ])("is unknown if %s", (_what, lines, unknown) => {
    expect(windowOf([host("prod-2", "01T00:00:00"), ...lines])).toEqual({ unknown });
  });
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
