import { describe, expect, test } from "vitest";
import { buildReport, completeReport, parseEventLog, type Report } from "../../../cli/report/buildReport.ts";
import { formatPage } from "../../../cli/report/reportPage.ts";
import { formatJson, formatText } from "../../../cli/report/reportText.ts";
import { formatVerdict, type ProductionReading } from "../../../cli/report/verdict.ts";
import { addTick, type Bounds, type Production, type TickProduction } from "../../../core/chain/production.ts";
import { linesOf, wholeWay } from "./exampleLog.ts";

const unread: ProductionReading = { unknown: "no node was asked" };

function reportOn(lines: readonly object[], production = unread, more: readonly string[] = []): Report {
  const report = buildReport(parseEventLog([...linesOf(lines), ...more], "here"), "prod-2");
  if (!report) throw new Error("no report");
  return completeReport(report, production);
}

const whole = reportOn(wholeWay);
const shapes = { text: (report: Report) => formatText(report, 80), JSON: formatJson };

/** Returns the lines with one more field in every object. */
function withField(value: unknown, field: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => withField(each, field));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, each]) => [key, withField(each, field)]);
  return { ...Object.fromEntries(entries), ...field };
}

describe.each(Object.entries(shapes))("the %s", (_name, shown) => {
  test("leaves out unknown fields of the file", () => {
    const spiked = withField(wholeWay, { password: "hunter2", note: { deep: "hunter2" } }) as object[];
    expect(linesOf(spiked).join()).toContain("hunter2");
    expect(shown(reportOn(spiked))).not.toContain("hunter2");
    expect(reportOn(spiked)).toEqual(whole);
  });

  test("has no control characters and no bidi overrides", () => {
    const odd = JSON.parse(JSON.stringify(wholeWay).replaceAll("rewards", "re\\u001b[2J\\u009b1m\\u202ewards"));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(shown(reportOn(odd))).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.stringify(reportOn(odd))).toContain("\\u001b[2J");
  });
});

const exactly = (count: number) => ({ least: count, most: count });
const tick = (at: string, old: number, fresh: number, missed: Bounds = exactly(0)): TickProduction => ({
  startAt: `2026-11-20T${at}:00.000Z`,
  producedMomentums: { old, new: fresh, other: 0 },
  expectedSlots: { least: old + fresh + missed.least, most: old + fresh + missed.most },
  missedSlots: missed,
});
const chain = (ticks: readonly TickProduction[], more: Partial<Production> = {}): Production => ({
  source: "a node",
  tickSeconds: 300,
  pillars: 3,
  ticks: [...ticks],
  total: ticks.reduce(addTick),
  epochs: { first: 7, last: 8 },
  paidEpochs: undefined,
  ...more,
});
const switched = chain([tick("18:00", 10, 0), tick("18:05", 10, 0), tick("18:10", 0, 10), tick("18:15", 0, 10)]);
const hurt = chain([tick("18:00", 10, 0), tick("18:05", 4, 3, exactly(3)), tick("18:10", 0, 10)]);
const unsure = [tick("18:00", 1, 0), tick("18:05", 0, 0, { least: 0, most: 1 }), tick("18:10", 0, 1)];
const paid = (epoch: number, produced: number) => ({ epoch, expected: 150, produced, givesAll: false });

test.each<[string, ProductionReading, readonly string[]]>([
  ["nothing", switched, ["Nothing was missed: 0 of 40 own slots, 23.4 s without an orchestrator."]],
  [
    "a missed slot, with its tick",
    hurt,
    ["MISSED: 3 of 30 own slots (ticks from 18:05:00 UTC), 23.4 s without an orchestrator."],
  ],
  [
    "what many Pillars leave open until the epochs are paid",
    chain(unsure, { pillars: 71 }),
    [
      "Own slots missed: 0 to 1 of 2 to 3. Of 71 Pillars no node says whose slots stay empty.",
      "To know it, run this again once epochs 7 to 8 are paid. Also: 23.4 s without an orchestrator.",
    ],
  ],
  [
    "the figures of paid epochs",
    chain(unsure, { pillars: 71, paidEpochs: [paid(8, 150), paid(7, 150)] }),
    ["Nothing was missed: 0 of 300 own slots, as epochs 7 to 8 are paid, 23.4 s without an orchestrator."],
  ],
  [
    "a miss in a paid epoch",
    chain(unsure, { pillars: 71, epochs: { first: 7, last: 7 }, paidEpochs: [paid(7, 149)] }),
    ["MISSED: 1 of 150 own slots, as epoch 7 is paid, 23.4 s without an orchestrator."],
  ],
  ["nothing known", unread, ["Own slots missed: unknown: no node was asked.", "Also: 23.4 s without an orchestrator."]],
])("the verdict is of %s", (_what, production, verdict) => {
  expect(reportOn(wholeWay, production).verdict).toEqual(verdict);
});

test("the verdict never counts an unknown time without an orchestrator as none", () => {
  expect(formatVerdict(switched, [{ at: "", unknown: "nobody knows when it stopped" }])).toEqual([
    "Nothing was missed: 0 of 40 own slots, unknown for how long without an orchestrator: nobody knows when it stopped.",
  ]);
  expect(formatVerdict(switched, [])).toEqual(["Nothing was missed: 0 of 40 own slots, no orchestrator was moved."]);
});

test("the text joins ticks, shows no hash, and a usual migration fits on a screen", () => {
  const usual = wholeWay.filter((line) => !["override", "refused"].includes((line as { event: string }).event));
  const lines = formatText(reportOn(usual, hurt), 80, ["Event log:  /home/ada"]).split("\n");
  const at = lines.indexOf("Own momentums by producer address, of own slots, from");
  expect(lines.slice(at + 1, at + 4)).toEqual([
    "  18:00:00  old 10 of 10",
    "  18:05:00  old 4 + new 3 of 10, 3 MISSED",
    "  18:10:00  new 10 of 10",
  ]);
  expect(lines.length).toBeLessThan(24);
  expect(lines.join()).not.toMatch(/[0-9a-f]{32}/);
  expect(lines.at(-1)).toBe("orchestrator.");
  expect(formatText(reportOn(usual, chain(unsure)), 80)).toContain(
    "  18:00:00  old 1 of 1 to 2\n  18:10:00  new 1 of 1\n",
  );
  const joined = formatText(reportOn(usual, switched), 80);
  expect(joined).toContain("  18:00:00  old 20 of 20\n  18:10:00  new 20 of 20\n");
});

describe("the page", () => {
  const page = formatPage(reportOn(wholeWay, hurt));

  test("has the verdict, the stages and a bar for each tick and owner", () => {
    expect(page).toContain("MISSED: 3 of 30 own slots");
    expect(page.match(/<rect class="(old|new|missed)"/g)).toHaveLength(5);
    expect(page).toContain("host retired");
  });

  test("loads nothing, and has no note, file or command", () => {
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:/);
    for (const line of ["the connection broke", "backup", "/home/ada", "not synced"]) expect(page).not.toContain(line);
  });

  test("escapes what the event log has", () => {
    const odd = JSON.parse(JSON.stringify(wholeWay).replaceAll("lose 1.25", "<b title='x'>\\u202e&"));
    const written = formatPage(reportOn(odd, { unknown: "ada@203.0.113.7 was refused" }));
    expect(written).not.toContain("ada@");
    expect(written).toContain("&lt;b title=&#39;x&#39;&gt; &amp;");
    expect(written).not.toContain("<b title");
    expect(written).toContain("Own slots missed: unknown: the report on the operator&#39;s machine says why.");
  });
});

test("the JSON is the report", () => {
  expect(JSON.parse(formatJson(whole))).toEqual(whole);
  const odd = { ...whole, pillar: "A\u202e\u009b\u2028\u{e0001}\n\tB" };
  expect(JSON.parse(formatJson(odd))).toEqual(odd);
});

test.each([80, 120])("the text fits %i columns", (columns) => {
  const long = formatText(whole, columns).split("\n");
  expect(long.filter((line) => line.length >= columns)).toEqual([]);
});

test("the text has the overrides, the number of unreadable lines, and the verdict last", () => {
  const report = reportOn(wholeWay, unread, ['{"at"', "null"]);
  const lines = formatText(report, 80).split("\n");
  expect(lines[2]).toBe("!! OVERRIDDEN BY THE OPERATOR");
  const at = lines.indexOf("! 2026-11-21 12:00  prod    OVERRIDDEN by the operator");
  expect(lines.slice(at + 1, at + 3).map((line) => line.trim())).toEqual([
    "typed: delete the host of Anvil and lose 1.25 ZNN",
    "although: 1.25 ZNN of rewards are not collected",
  ]);
  expect(lines.slice(-3)).toEqual([
    "Lines of the event log that could not be read: 2",
    "Own slots missed: unknown: no node was asked.",
    "Also: 23.4 s without an orchestrator.",
  ]);
});
