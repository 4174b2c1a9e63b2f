import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createUnknownParts } from "../../../cli/status/parts/statusParts";
import { cropLines, truncate, wrap } from "../../../cli/status/screenLayout";
import { formatReport, wrapRow } from "../../../cli/status/statusText";
import { parseNodeHostFacts } from "../../../core/ssh/hostFacts";
import { printable } from "../../../core/util/printable";
import { facts, viewOf } from "../exampleView";

const screenOf = (rows: number, columns = 80, view = viewOf()) =>
  cropLines(formatReport(view, columns).split("\n"), { columns, rows });

test("fills a terminal of 80 by 24 with head, facts and the log", () => {
  const parts = { ...createUnknownParts("active", "not yet"), destroy: undefined };
  expect(screenOf(24, 80, viewOf({ parts }))).toEqual([
    "Pillar Anvil, stack prod, host 203.0.113.7",
    "",
    "stage         deployed, syncing",
    "next          nothing to do: a run is active",
    "pulumi        a run is active: process 4242 of ada on desk, since 2026-11-21",
    "              15:02 UTC",
    "sync          81.7 %, height 16365 of 20021, 4.9 momentums/s, about 13 min",
    "              left, since 2026-11-21 15:04 UTC",
    "address       unknown: not yet",
    "producing     unknown: not yet",
    "orchestrator  unknown: not yet",
    "version       unknown: not yet",
    "rewards       unknown: not yet",
    "destroy       refused: pillar-host:lifecycle of prod is active",
    "",
    "done so far   packages 2026-11-21T15:04:01Z, deployed 2026-11-21T15:04:09Z",
    "service       go-node is active (running) since 2026-11-21 15:04:09 UTC",
    "peers         8",
    "disk          75.0 of 264.2 GB free at /root/.znn",
    "",
    "log:",
    '  15:05:11 go-node[7423]: t=16318 lvl=info msg="insert momentum" module=chain …',
    '  15:05:16 go-node[7423]: t=16343 lvl=info msg="insert momentum" module=chain …',
  ]);
});

test("keeps a command on one line in a pipe", () => {
  const command = `    ufw: ${"ufw prepend deny 35997/tcp; ".repeat(6)}`.trimEnd();
  expect(wrapRow(["", command, "command"], 80)).toEqual([`              ${command}`]);
  const shown = wrapRow(["ports", `one ${"two ".repeat(30)}`], 79);
  expect(shown.every((line) => line.length < 80)).toBe(true);
  expect(cropLines(shown, { columns: 80, rows: 24 }).every((line) => line.length < 80)).toBe(true);
});

test("keeps the first lines in a low terminal, and counts the others", () => {
  expect(screenOf(8)).toHaveLength(7);
  expect(screenOf(8).at(-1)).toBe("… 18 more lines: make the terminal higher to see them");
  expect(screenOf(8).at(-2)).toBe("              15:02 UTC");
});

test("never exceeds the terminal's size", () => {
  const text = fc.string({ unit: "grapheme-ascii", maxLength: 300 });
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 30 }),
      fc.integer({ min: 34, max: 200 }),
      fc.integer({ min: 2, max: 60 }),
      (lines, columns, rows) => {
        const some = parseNodeHostFacts(
          lines.map((line, i) => (i % 2 === 0 ? `log=${line}` : `done.packages=${line}`)),
        );
        const view = viewOf({ facts: some });
        const screen = screenOf(rows, columns, view);
        expect(screen.length).toBeLessThan(rows);
        for (const line of screen) expect(line.length).toBeLessThan(columns);
      },
    ),
  );
});

test("shows the start of a wait", () => {
  const wait = { startedAt: "2026-11-21T10:00:00.000Z", startHeight: 5 };
  const report = formatReport(viewOf({ state: { isBegun: true, pending: [], wait } }), 120);
  expect(report).toContain("\nwaiting       since 2026-11-21 10:00 UTC, from height 5\n");
});

test("prints everything to a pipe", () => {
  const report = formatReport(viewOf(), 120);
  for (const fact of facts.log) expect(report).toContain(fact.slice(-12));
});

test("removes control characters", () => {
  expect(printable("a\u001b[2Jb\tc\r\u0007\u202ed")).toBe("a[2Jb cd");
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
