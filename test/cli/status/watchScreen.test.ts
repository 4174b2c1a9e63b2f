import { expect, test } from "vitest";
import { drawRates, formatFrame, renderWatch } from "../../../cli/status/watchScreen.ts";
import type { PortResult } from "../../../core/cloud/portRules.ts";
import { facts, healthyFacts, partsOf, progress, registrations, viewOf } from "../exampleView.ts";

const now = Date.parse("2026-11-21T17:04:10Z");
const port = (number: number, wanted: "open" | "closed"): PortResult => {
  return { port: number, what: "x", wanted, listens: true, seen: wanted === "open" ? "filtered" : "open" };
};
const heights = [0, 0, 60, 180, 420, 900, 1380, 1860, 2220, 2400];
const samples = heights.map((height, minute) => ({ at: minute * 60_000, height }));
const log = Array.from({ length: 10 }, (_, line) => `2026-11-21T15:05:1${line}+0000 host1 go-node[7423]: line ${line}`);
const parts = partsOf(undefined, { ports: { value: [port(35_995, "open"), port(35_997, "closed")] } });
const view = viewOf({ sync: progress({ samples }), facts: { ...facts, log }, parts });
const screen = { columns: 80, rows: 24, now, isUtf8: true };

test("a sync on a small terminal has what matters, and the newest lines of the log", () => {
  expect(renderWatch({ view }, screen)).toEqual([
    "Pillar Anvil, prod (203.0.113.7)                                   17:04:10 UTC",
    "",
    "stage         deployed, syncing",
    "next          nothing to do: a run is active",
    "pulumi        a run is active: process 4242 of ada on desk, since 2026-11-21",
    "              15:02 UTC",
    "sync          [#########################------] 81.7 %, height 16365 of 20021",
    "              4.9 momentums/s, about 13 min left, since 2026-11-21 15:04 UTC",
    "rate          ▁▁▂▄███▆▃  a minute each, up to 8.0 momentums/s",
    "ports         2 wrong: ./pillar-host status prod",
    "done so far   packages 2026-11-21T15:04:01Z, deployed 2026-11-21T15:04:09Z",
    "service       go-node is active (running) since 2026-11-21 15:04:09 UTC",
    "peers         8",
    "disk          76.8 of 270.5 GB free at /root/.znn",
    "address       not registered: Anvil is still registered with",
    "              z1qzlytaqdahg5t02nz5096frflfv7dm3y7yxmg7",
    "producing     no: another producer address is registered",
    "log:",
    ...[5, 6, 7, 8, 9].map((line) => `  15:05:1${line} go-node[7423]: line ${line}`),
  ]);
});

test("a large terminal has all rows and the whole log, but not the firewall's commands", () => {
  expect(renderWatch({ view }, { ...screen, columns: 120, rows: 40 })).toEqual([
    "Pillar Anvil, prod (203.0.113.7)                                                                           17:04:10 UTC",
    "",
    "stage         deployed, syncing",
    "next          nothing to do: a run is active",
    "pulumi        a run is active: process 4242 of ada on desk, since 2026-11-21 15:02 UTC",
    "sync          [##########################################################-------------] 81.7 %, height 16365 of 20021",
    "              4.9 momentums/s, about 13 min left, since 2026-11-21 15:04 UTC",
    "rate          ▁▁▂▄███▆▃  a minute each, up to 8.0 momentums/s",
    "ports         2 wrong: ./pillar-host status prod",
    "done so far   packages 2026-11-21T15:04:01Z, deployed 2026-11-21T15:04:09Z",
    "service       go-node is active (running) since 2026-11-21 15:04:09 UTC",
    "peers         8",
    "disk          76.8 of 270.5 GB free at /root/.znn",
    "address       not registered: Anvil is still registered with z1qzlytaqdahg5t02nz5096frflfv7dm3y7yxmg7",
    "producing     no: another producer address is registered",
    "orchestrator  none on this host",
    "version       v0.0.8",
    "rewards       8.8 ZNN and 0 QSR are not collected; paid last: epoch 5",
    "destroy       refused: pillar-host:lifecycle of prod is active",
    "log:",
    ...log.map((_, line) => `  15:05:1${line} go-node[7423]: line ${line}`),
  ]);
});

test("a synced host shows its address and whether it produces before the machine's facts", () => {
  const synced = viewOf({
    ...{ synced: true, facts: healthyFacts, locks: [], parts: partsOf(registrations.producing) },
    sync: progress({ good: true, streak: 1, percent: "100.0", why: { kind: "fresh", text: "synced" } }),
  });
  const lines = renderWatch({ view: synced }, screen);
  expect(lines[2]).toBe("stage         producing");
  const labels = lines.flatMap((line) => /^[a-z]+/.exec(line) ?? []);
  expect(labels.slice(0, 5)).toEqual(["stage", "next", "sync", "address", "producing"]);
  expect(labels.indexOf("disk")).toBeGreaterThan(labels.indexOf("rewards"));
});

test("fits on every terminal, also with a host that does not answer", () => {
  const waysBack = ["Either:", { command: `systemctl ${"stop go-node; ".repeat(20)}` }];
  const problem = { what: `10.0.0.1 could not be reached: ${"no answer ".repeat(12)}`, needed: "start the host" };
  for (const [columns, rows] of [
    [60, 8],
    [72, 12],
    [80, 24],
    [100, 30],
    [200, 60],
  ] as const)
    for (const found of [{ view }, { view, problem }, { view: viewOf({ sync: undefined, waysBack }) }]) {
      const lines = renderWatch(found, { ...screen, columns, rows });
      expect(lines.length).toBeLessThan(rows);
      expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThan(columns);
      if (rows >= 24 && "problem" in found) expect(lines.join(" ")).toContain("start the host");
    }
});

test("draws rates without block characters on a terminal that has none", () => {
  expect([drawRates([0, 1, 4, 8], true), drawRates([0, 1, 4, 8], false), drawRates([0, 0], true)]).toEqual([
    ...["▁▁▄█", "__~#", "▁▁"],
  ]);
});

test("a frame is written over the last one: it clears each line's rest and what is below, and never scrolls", () => {
  expect(formatFrame(["one", "two"])).toBe("\u001b[Hone\u001b[K\ntwo\u001b[K\n\u001b[J");
});
