import fc from "fast-check";
import { expect, test } from "vitest";
import { createUnknownParts } from "../../../cli/status/parts/statusParts";
import { cropLines, truncate, wrap } from "../../../cli/status/screenLayout";
import { formatReport, wrapRow } from "../../../cli/status/statusText";
import { parseNodeHostFacts } from "../../../core/ssh/hostFacts";
import { facts, viewOf } from "../exampleView";

const screenOf = (rows: number, columns = 80, view = viewOf()) =>
  cropLines(formatReport(view, columns).split("\n"), { columns, rows });

test("fills a terminal of 80 by 24 with head, facts and the log", () => {
  const parts = createUnknownParts("active", "not yet");
  const state = { isBegun: true, pending: [], wait: { startedAt: "2026-11-21T15:04:00.000Z", startHeight: 5 } };
  expect(screenOf(24, 80, viewOf({ parts, state }))).toEqual([
    "Pillar Anvil, stack prod, host 203.0.113.7",
    "",
    "stage         deployed, syncing",
    "next          nothing to do: a run is active",
    "pulumi        a run is active: process 4242 of ada on desk, since 2026-11-21",
    "              15:02 UTC",
    "sync          81.7 %, height 16365 of 20021, 4.9 momentums/s, about 13 min",
    "              left, since 2026-11-21 15:04 UTC",
    "waiting       since 2026-11-21 15:04 UTC, from height 5",
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
    "… 2 more lines: make the terminal higher to see them",
  ]);
  const whole = formatReport(viewOf(), 120);
  for (const line of facts.log) expect(whole).toContain(line.slice(-12));
});

test("keeps a command on one line in a pipe", () => {
  const command = `    ufw: ${"ufw prepend deny 35997/tcp; ".repeat(6)}`.trimEnd();
  expect(wrapRow(["", command, "command"], 80)).toEqual([`              ${command}`]);
  expect(wrapRow(["ports", `one ${"two ".repeat(30)}`], 79).every((line) => line.length < 80)).toBe(true);
});

test("never exceeds the terminal's size", () => {
  const text = fc.string({ unit: "grapheme-ascii", maxLength: 300 });
  const [width, height] = [fc.integer({ min: 34, max: 200 }), fc.integer({ min: 2, max: 60 })];
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), width, height, (lines, columns, rows) => {
      const some = lines.map((line, i) => (i % 2 === 0 ? `log=${line}` : `done.packages=${line}`));
      const screen = screenOf(rows, columns, viewOf({ facts: parseNodeHostFacts(some) }));
      expect(screen.length).toBeLessThan(rows);
      for (const line of screen) expect(line.length).toBeLessThan(columns);
    }),
  );
});

test("wraps a text at blanks, and within a word only if necessary; truncates it with an ellipsis", () => {
  expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrap("abcdefghij kl", 4)).toEqual(["abcd", "efgh", "ij", "kl"]);
  expect(wrap("", 4)).toEqual([""]);
  expect(["abcdef", "abcd", "a b  c d"].map((text) => truncate(text, 4))).toEqual(["abc…", "abcd", "a b…"]);
  // A terminal gives these two columns each.
  expect([truncate("漢字漢字", 6), wrap("漢字漢字 漢", 6)]).toEqual(["漢字…", ["漢字漢", "字 漢"]]);
});
