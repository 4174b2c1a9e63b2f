import { describe, expect, test } from "vitest";
import { buildReport, parseEventLog, type Report } from "../../../cli/report/buildReport.ts";
import { formatJson, formatText } from "../../../cli/report/reportText.ts";
import { linesOf, wholeWay } from "./exampleLog.ts";

function reportOn(lines: readonly object[], stack = "prod-2"): Report {
  const report = buildReport(parseEventLog(linesOf(lines), "here"), stack);
  if (!report) throw new Error("no report");
  return report;
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

test("the JSON is the report", () => {
  expect(JSON.parse(formatJson(whole))).toEqual(whole);
  const odd = { ...whole, pillar: "A\u202e\u009b\u2028\u{e0001}\n\tB" };
  expect(JSON.parse(formatJson(odd))).toEqual(odd);
});

test.each([80, 120])("the text fits %i columns", (columns) => {
  const long = formatText(whole, columns).split("\n");
  expect(long.filter((line) => line.length >= columns)).toEqual([]);
});

test("the text starts with the overrides, and ends with the number of unreadable lines", () => {
  const report = buildReport(parseEventLog([...linesOf(wholeWay), '{"at"', "null"], "here"), "prod-2");
  const lines = formatText(report as Report, 80).split("\n");
  expect(lines.slice(3, 7)).toEqual([
    "!! OVERRIDDEN BY THE OPERATOR",
    "!! 2026-11-21 12:00, prod",
    "!!   typed: delete the host of Anvil and lose 1.25 ZNN",
    "!!   although: 1.25 ZNN of rewards are not collected",
  ]);
  expect(lines.at(-1)).toBe("Lines of the event log that could not be read: 2");
});
