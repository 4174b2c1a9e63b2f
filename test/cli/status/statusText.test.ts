import fc from "fast-check";
import { expect, test } from "vitest";
import { truncate, wrap } from "../../../cli/status/screenLayout.ts";
import { formatReport, wrapRow } from "../../../cli/status/statusText.ts";
import { parseWhole } from "../../core/host/printedFacts.ts";
import { createUnknownParts, facts, partsOf, viewOf } from "../exampleView.ts";

test("prints head, facts and the log", () => {
  const parts = createUnknownParts("active", "not yet");
  const state = {
    isBegun: true,
    pending: [],
    last: { finished: false },
    wait: { startedAt: "2026-11-21T15:04:00.000Z", startHeight: 5 },
  };
  expect(formatReport(viewOf({ parts, state }), 80).split("\n")).toEqual([
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
    "disk          76.8 of 270.5 GB free at /root/.znn",
    "",
    "log:",
    '  15:05:11 go-node[7423]: t=16318 lvl=info msg="insert momentum" module=chain …',
    '  15:05:16 go-node[7423]: t=16343 lvl=info msg="insert momentum" module=chain …',
  ]);
  const whole = formatReport(viewOf(), 120);
  for (const line of facts.log) expect(whole).toContain(line.slice(-12));
});

test("begins with the alarm if no host signs", () => {
  const cutOff = { since: Date.parse("2026-11-30T07:29:20Z"), stack: "prod-2", stage: "fenced" } as const;
  const orchestrator = { value: { kind: "cutOff", text: "x", isWrong: true, cutOff } } as const;
  const report = formatReport(viewOf({ locks: [], parts: partsOf(undefined, { orchestrator }) }), 80).split("\n");
  expect(report.slice(0, 7)).toEqual([
    "The move was cut off while NO host signs: the bridge lacks this orchestrator",
    "since 2026-11-30 07:29:20 UTC. Continue now, it takes seconds:",
    "  ./pillar-host resume prod-2",
    "",
    "Pillar Anvil, stack prod, host 203.0.113.7",
    "",
    "stage         NO HOST SIGNS since 2026-11-30 07:29 UTC (the move was cut off)",
  ]);
});

test("shows the ways back of a node that is not synced any more, each command on one line", () => {
  const command = `  pulumi config set ${"x".repeat(80)}`;
  const text = formatReport(viewOf({ waysBack: ["If height 7 does not change", { command }] }), 80);
  expect(text).toContain(`\ndatabase      If height 7 does not change\n${" ".repeat(14)}${command}\n`);
});

test("keeps a command on one line in a pipe", () => {
  const command = `    ufw: ${"ufw prepend deny 35997/tcp; ".repeat(6)}`.trimEnd();
  expect(wrapRow(["", command, "command"], 80)).toEqual([`              ${command}`]);
  expect(wrapRow(["ports", `one ${"two ".repeat(30)}`], 79).every((line) => line.length < 80)).toBe(true);
});

test("is never wider than the terminal", () => {
  const text = fc.string({ unit: "grapheme-ascii", maxLength: 300 });
  const width = fc.integer({ min: 60, max: 200 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), width, (lines, columns) => {
      const some = lines.map((line, i) => (i % 2 === 0 ? `log=${line}` : `marked.packages.done=${line}`));
      const report = formatReport(viewOf({ facts: parseWhole(["done", "log"], some) }), columns);
      for (const line of report.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
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
