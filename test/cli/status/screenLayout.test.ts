import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatReport, layOutScreen, truncate, wrap } from "../../../cli/status/screenLayout";
import { formatStatus, isEvent } from "../../../cli/status/statusRows";
import { parseNodeHostFacts } from "../../../core/ssh/hostFacts";
import { printable } from "../../../core/util/printable";
import { facts, progress, viewOf } from "../exampleView";

const now = Date.parse("2026-11-21T15:05:20Z");
const times = { now, lookedAt: now - 8000, nextLookAt: now + 8000, factsAt: now - 2000 };
const news = ["15:05:18 no answer from the node yet: root@203.0.113.7:22: connect ECONNREFUSED 203.0.113.7:22"];

test("fills a terminal of 80 by 24 with head, facts, events and the end of the log", () => {
  expect(layOutScreen([formatStatus(viewOf(), times)], news, { columns: 80, rows: 24 })).toEqual([
    "Pillar Anvil, stack prod, host 203.0.113.7",
    "",
    "stage         deployed, syncing",
    "next          nothing to do: a run is active",
    "pulumi        a run is active: process 4242 of ada on desk, since 2026-11-21",
    "              15:02 UTC",
    "sync          81.7 %, height 16365 of 20021, 4.9 momentums/s, about 13 min",
    "              left, since 2026-11-21 15:04 UTC",
    "looked        8 s ago; again in 8 s",
    "on chain      first lookup …",
    "",
    "done so far   packages 2026-11-21T15:04:01Z, deployed 2026-11-21T15:04:09Z",
    "service       go-node is active (running) since 2026-11-21 15:04:09 UTC",
    "peers         8",
    "disk          75.0 of 264.2 GB free at /root/.znn",
    "",
    "events (UTC):",
    "  15:05:18 no answer from the node yet: root@203.0.113.7:22: connect",
    "    ECONNREFUSED 203.0.113.7:22",
    "",
    "log:",
    '  15:05:11 go-node[7423]: t=16318 lvl=info msg="insert momentum" module=chain …',
    '  15:05:16 go-node[7423]: t=16343 lvl=info msg="insert momentum" module=chain …',
  ]);
});

test("keeps a command on one line in a pipe", () => {
  const command = `    ufw: ${"ufw prepend deny 35997/tcp; ".repeat(6)}`.trimEnd();
  const rows = {
    title: "t",
    head: [
      ["ports", `one ${"two ".repeat(30)}`],
      ["", command, "command"],
    ],
    facts: [],
    log: [],
  } as const;
  const shown = formatReport(rows, 80).split("\n");
  expect(shown.at(-1)).toBe(`              ${command}`);
  expect(shown.slice(0, -1).every((line) => line.length < 80)).toBe(true);
  expect(layOutScreen([rows], [], { columns: 80, rows: 24 }).every((line) => line.length < 80)).toBe(true);
});

test("leaves out the log first, then the events, in a low terminal", () => {
  const at = (rows: number) => layOutScreen([formatStatus(viewOf(), times)], news, { columns: 80, rows });
  expect(at(23).filter((line) => line.includes("go-node[7423]"))).toHaveLength(1);
  expect(at(21)).not.toContain("log:");
  expect(at(21)).toContain("events (UTC):");
  expect(at(19)).not.toContain("events (UTC):");
  expect(at(18)).toHaveLength(15);
});

test("leaves out the facts next, and counts the other lines", () => {
  const at = (rows: number) => layOutScreen([formatStatus(viewOf(), times)], news, { columns: 80, rows });
  expect(at(12).at(-1)).toBe("on chain      first lookup …");
  expect(at(12)).toHaveLength(10);
  expect(at(8)).toHaveLength(7);
  expect(at(8).at(-1)).toBe("… 4 more lines: make the terminal higher to see them");
  expect(at(8).at(-2)).toBe("              15:02 UTC");
});

test("never exceeds the terminal's size", () => {
  const text = fc.string({ unit: "grapheme-ascii", maxLength: 300 });
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 30 }),
      fc.array(text, { maxLength: 8 }),
      fc.integer({ min: 34, max: 200 }),
      fc.integer({ min: 2, max: 60 }),
      (lines, happened, columns, rows) => {
        const some = parseNodeHostFacts(
          lines.map((line, i) => (i % 2 === 0 ? `log=${line}` : `done.packages=${line}`)),
        );
        const screen = layOutScreen([formatStatus(viewOf({ facts: some }), times)], happened, { columns, rows });
        expect(screen.length).toBeLessThan(rows);
        for (const line of screen) expect(line.length).toBeLessThan(columns);
      },
    ),
  );
});

test("shows the age of old facts and the start of a wait", () => {
  const wait = { startedAt: "2026-11-21T10:00:00.000Z", startHeight: 5 };
  const view = viewOf({ state: { isBegun: true, pending: [], wait } });
  const { head, facts: shown } = formatStatus(view, { ...times, factsAt: now - 40_000 });
  expect(shown.at(-1)).toEqual(["", "(these facts are 40 s old)"]);
  expect(head).toContainEqual(["waiting", "since 2026-11-21 10:00 UTC, from height 5"]);
});

test("prints everything to a pipe", () => {
  const report = formatReport(formatStatus(viewOf()), 120);
  for (const fact of facts.log) expect(report).toContain(fact.slice(-12));
  expect(report).not.toContain("looked ");
});

test("removes control characters", () => {
  expect(printable("a\u001b[2Jb\tc\r\u0007\u202ed")).toBe("a[2Jb cd");
});

test("counts every message as an event but a growing height", () => {
  expect(isEvent({ kind: "progress", progress: progress() })).toBe(false);
  expect(
    isEvent({ kind: "progress", progress: progress({ good: true, why: { kind: "fresh", text: "synced" } }) }),
  ).toBe(true);
  expect(isEvent({ kind: "told", text: "stalled: the height has been 5 since 15 min" })).toBe(true);
});

describe("text", () => {
  test("is wrapped at blanks, and within a word only if necessary", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrap("abcdefghij kl", 4)).toEqual(["abcd", "efgh", "ij", "kl"]);
    expect(wrap("", 4)).toEqual([""]);
  });

  test("is truncated with an ellipsis", () => {
    expect(truncate("abcdef", 4)).toBe("abc…");
    expect(truncate("abcd", 4)).toBe("abcd");
    // A terminal gives these two columns each.
    expect([truncate("漢字漢字", 6), wrap("漢字漢字 漢", 6)]).toEqual(["漢字…", ["漢字漢", "字 漢"]]);
  });
});
