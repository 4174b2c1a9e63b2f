import { describe, expect, test } from "vitest";
import { linesOf } from "../../../cli/report/lines";
import { reportOf } from "../../../cli/report/reportOf";
import { curve, syncing, textOf, wholeWay } from "./exampleRecord";

const told = (stack: string, lines: readonly object[] = wholeWay) => {
  const report = reportOf(linesOf(textOf(lines)), stack);
  if (!report) throw new Error(`nothing is told of ${stack}`);
  return report;
};
const at = (rest: string) => `2026-11-${rest}Z`;
const on = (stack: string, time: string, event: string, details: object, pillar = "Anvil") => ({
  ...{ at: at(time), stack, pillar, event, details },
});
const host = (stack: string, time: string, pillar?: string) =>
  on(stack, time, "host", { address: "203.0.113.9", provider: "existing" }, pillar);
const evidence = { evidence: ["seen"] };
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
    ["copy of the chain begun from 192.0.2.1", undefined],
    ["chain copied from 192.0.2.1, up to momentum 12000000", 1800],
  ]);
  expect(timeline[2]?.lines).toEqual([
    "13.4 GB in 6200 files, 19 min; kept there meanwhile, at most: 250 MB",
    `hash of all files' hashes: ${"ab".repeat(32)}`,
  ]);
});

describe("the new host's report", () => {
  const report = told("prod-2");

  test("is of both stacks, from its own first event on", () => {
    expect({ ...report, timeline: 0, phases: 0, syncs: 0, switches: 0, signer: 0 }).toEqual({
      ...{ stack: "prod-2", pillar: "Anvil", stacks: ["prod-2", "prod"] },
      ...{ from: at("18T09:00:00"), to: at("21T12:00:05"), unread: 0, open: [], rewards: [] },
      overrides: [
        {
          ...{ at: at("21T12:00:00"), stack: "prod", sentence: "delete the host of Anvil and lose 1.25 ZNN" },
          reasons: ["1.25 ZNN of rewards are not collected"],
        },
      ],
      refusals: [
        {
          ...{ at: at("18T09:30:00"), stack: "prod" },
          reasons: ["prod-2 is not synced", "1.25 ZNN of rewards are not collected"],
        },
      ],
      ...{ timeline: 0, phases: 0, syncs: 0, switches: 0, signer: 0 },
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
    expect(report.timeline[9]).toEqual({
      ...{ at: "2026-11-20T18:04:30Z", stack: "prod-2", event: "producing", weight: "stage", seconds: 270 },
      title: "produces: momentum 11985590",
      lines: [
        "of z1qnew0000000000000000000000000000000000",
        "the last of z1qold0000000000000000000000000000000000: momentum 11985560",
        "this epoch so far: 122 of 124 momentums, by a count up to 5 min old",
      ],
    });
    expect(report.timeline.filter(({ weight }) => weight === "alarm").map(({ event }) => event)).toEqual(["override"]);
  });

  test("says what the time was spent on", () => {
    expect(report.phases).toEqual([
      { stack: "prod-2", title: "host set up, node synced", from: at("18T09:00:00"), to: "2026-11-20T09:10:00.000Z" },
      {
        ...{ stack: "prod-2", title: "until the wallet was updated" },
        ...{ from: "2026-11-20T09:10:00.000Z", to: at("20T18:00:00") },
      },
      { stack: "prod-2", title: "signer secured and moved", from: at("20T09:20:01"), to: "2026-11-20T10:00:30.000Z" },
      { stack: "prod-2", title: "until the first momentum", from: at("20T18:00:00"), to: at("20T18:04:30") },
      { stack: "prod", title: "replaced, until shut down", from: at("20T18:04:30"), to: at("20T19:00:00") },
      { stack: "prod", title: "until it was let go", from: at("20T19:00:00"), to: at("21T12:00:05") },
    ]);
  });

  test("has the sync with its curve", () => {
    expect(report.syncs).toEqual([
      {
        ...{ at: "2026-11-20T09:10:00.000Z", stack: "prod-2", isOver: true, startedAt: "2026-11-18T09:10:00.000Z" },
        ...{ seconds: 172_800, startHeight: 0, currentHeight: 11_982_400, momentums: 11_982_400, rate: 69.3, curve },
        proved: ["height 11982400 reached target 11982400", "newest momentum is fresh by both clocks"],
        unproved: ["height agrees with independent nodes (sync.references)"],
      },
    ]);
  });

  test("has the switch, with the slots that stayed empty around it", () => {
    expect(report.switches).toEqual([
      {
        ...{ at: "2026-11-20T18:04:30Z", stack: "prod-2", height: 11_985_590 },
        producerAddress: "z1qnew0000000000000000000000000000000000",
        before: {
          ...{ producerAddress: "z1qold0000000000000000000000000000000000", height: 11_985_560 },
          ...{ at: "2026-11-20T17:59:30Z", seconds: 300 },
        },
        registered: { expected: 120, produced: 119, at: at("20T18:00:00") },
        producing: { expected: 124, produced: 122, at: at("20T18:06:00") },
        empty: 0,
      },
    ]);
  });

  test("has the signer's move with its backups and the time without a signer", () => {
    const backup = { identityFile: "/home/ada/pillar-host/backups/identity.txt", sealedBytes: 95_000, files: 14 };
    const file = (label: string) => `/home/ada/pillar-host/backups/Anvil/pillar-host-prod-2-Anvil-1-${label}.tar.age`;
    expect(report.signer).toEqual([
      {
        ...{ stack: "prod-2", attempt: "1", ending: "moved", holder: "new", movedAt: "2026-11-20T10:00:30.000Z" },
        ...{ oldVersion: "v0.0.9a", version: "v0.0.9b", secondsWithoutSigner: 23.4 },
        backups: [
          {
            ...{ label: "first", at: "2026-11-20T09:20:00.000Z", file: file("first"), sha256: "a1".repeat(32) },
            ...backup,
          },
          {
            ...{ label: "last", at: "2026-11-20T10:00:07.000Z", file: file("last"), sha256: "b2".repeat(32) },
            ...backup,
          },
        ],
        failures: [{ at: at("20T09:30:00"), error: "198.51.100.4: the connection broke while the bulk was copied" }],
      },
    ]);
  });
});

test("a wait that goes on is told as far as it is recorded, on no line of its own", () => {
  expect(told("prod-2", syncing).syncs).toEqual([
    {
      ...{ at: "2026-11-18T23:10:00.000Z", stack: "prod-2", isOver: false, startedAt: "2026-11-18T09:10:00.000Z" },
      ...{ seconds: 50_400, startHeight: 0, currentHeight: curve[7]?.[1], momentums: curve[7]?.[1], rate: 42.4 },
      ...{ proved: [], unproved: [], curve: curve.slice(0, 8) },
    },
  ]);
  expect(stages("prod-2", syncing)).toEqual([["prod-2", "host", undefined]]);
  // A stack that was begun before there was a record of hosts.
  expect(told("prod-2", syncing.slice(1))).toMatchObject({
    ...{ from: at("18T11:10:00"), to: at("18T23:10:00"), timeline: [] },
    open: [{ stack: "prod-2", text: "its node is not synced: pulumi up -s prod-2" }],
  });
  expect(told("prod-2", [...syncing, ...wholeWay.slice(3, 4)]).syncs.map(({ isOver }) => isOver)).toEqual([true]);
});

test("a phase begins with the last event that can begin it: of a server that was made anew, the new one's", () => {
  const synced = on("new", "03T00:00:00", "synced", {
    ...{ startedAt: at("02T01:00:00"), syncedAt: at("03T00:00:00"), startHeight: 1, currentHeight: 2 },
    ...{ proved: [], unproved: [], curve: [] },
  });
  expect(told("new", [host("new", "01T00:00:00"), host("new", "02T00:00:00"), synced]).phases).toEqual([
    { stack: "new", title: "host set up, node synced", from: at("02T00:00:00"), to: at("03T00:00:00") },
  ]);
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
    expect(reportOf(linesOf(textOf(wholeWay)), "prod-9")).toBeUndefined();
  });
});

test.each([[undefined], [0], [3]])("the empty slots around a switch are those that were counted: %s", (empty) => {
  const lines = [
    on("prod-2", "20T18:00:00", "registered", { producerAddress: "new", figures: { expected: 1, produced: 1 } }),
    on("prod-2", "20T18:06:00", "producing", {
      ...{ producerAddress: "new", height: 9, switchedAt: at("20T18:04:30"), figures: { expected: 9, produced: 7 } },
      ...(empty === undefined ? {} : { empty }),
    }),
  ];
  expect(told("prod-2", lines).switches[0]?.empty).toBe(empty);
});

describe("what is still open", () => {
  const upTo = (...lines: readonly object[]) => told("new", [host("new", "01T00:00:00"), ...lines]).open;
  const synced = on("new", "02T00:00:00", "synced", {
    ...{ startedAt: at("01T00:00:00"), syncedAt: at("02T00:00:00"), startHeight: 1, currentHeight: 2 },
    ...{ proved: [], unproved: [], curve: [] },
  });
  const registered = on("new", "03T00:00:00", "registered", { producerAddress: "a" });
  const producing = (stack: string, time: string) =>
    on(stack, time, "producing", { producerAddress: "a", height: 9, switchedAt: at(time) });
  const early = on("new", "01T05:00:00", "registeredTooEarly", { producerAddress: "a" });
  const next = producing("next", "05T00:00:00");
  const shutDown = on("new", "06T00:00:00", "shutDown", { address: "a", ...evidence });
  const rewards = on("new", "07T00:00:00", "rewards", evidence);
  const move = (event: string) => ({ at: at("02T01:00:00"), move: "pillar-host/new/Anvil/1", event, details: {} });
  const own = (text: string) => [{ stack: "new", text }];

  test.each([
    ["the sync", [], own("its node is not synced: pulumi up -s new")],
    ["the sync, registered too early", [early], own("registered too early: its node is not synced")],
    ["the wallet", [synced], own("register its producer address in the wallet, then pulumi up -s new")],
    [
      "the first momentum",
      [synced, registered],
      own("registered, its first momentum was not seen yet: pulumi up -s new"),
    ],
    ["nothing", [synced, registered, producing("new", "04T00:00:00")], []],
    [
      "the old host's shutdown",
      [synced, producing("new", "04T00:00:00"), next],
      own("next produces by now: ./pillar-host retire new --successor next shuts this host down"),
    ],
    ["the rewards", [next, shutDown], own("collect the rewards in the wallet, then pulumi destroy -s new")],
    ["the deletion", [next, shutDown, rewards], own("pulumi destroy -s new")],
    ["nothing more", [next, shutDown, rewards, on("new", "08T00:00:00", "released", evidence)], []],
    [
      "the signer's move",
      [synced, registered, producing("new", "04T00:00:00"), move("secured"), move("failed")],
      own("the signer's move has not ended: pulumi up -s new"),
    ],
  ])("%s", (_what, lines, open) => {
    expect(upTo(...lines)).toEqual(open);
  });
});

test("a move that was brought back says who holds the key", () => {
  const move = "pillar-host/prod-2/Anvil/2";
  const lines = [
    host("prod-2", "01T00:00:00"),
    { at: at("02T00:00:00"), move, event: "rolledBack", details: { holder: "old", version: "v1" } },
  ];
  expect(told("prod-2", lines).signer).toEqual([
    {
      ...{ stack: "prod-2", attempt: "2", ending: "brought back", holder: "old", version: "v1" },
      ...{ movedAt: at("02T00:00:00"), backups: [], failures: [] },
    },
  ]);
});

test("rewards that the operator spoke for are marked", () => {
  const said = on("prod", "02T00:00:00", "rewards", { evidence: ["said so"], saidBy: "operator" });
  const report = told("prod", [said]);
  expect(report.rewards).toEqual([{ at: at("02T00:00:00"), stack: "prod", evidence: ["said so"], saidBy: "operator" }]);
  expect(report.timeline[0]?.title).toBe("rewards collected (said by the operator)");
});

test("the last backup of a host that is given up is no move of its signer", () => {
  const backup = {
    ...{ label: "retired", file: "/b/pillar-host-prod-Anvil-retired.tar.age", identityFile: "/b/id", sha256: "a" },
    ...{ sealedBytes: 9, files: 3, bytes: 8, provedAt: at("20T10:00:00"), manifestFile: "/b/m.json" },
  };
  const line = { at: at("20T10:00:00"), move: "pillar-host/prod/Anvil", event: "backup", details: backup };
  const report = told("prod", [host("prod", "20T09:00:00"), line]);
  expect(report.signer).toEqual([]);
  expect(report.open.map(({ text }) => text).join()).not.toContain("signer");
  expect(report.timeline.at(-1)).toMatchObject({ title: "last backup of the host's keys, proved (3 files)" });
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
  expect(report.open).toEqual([]);
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
