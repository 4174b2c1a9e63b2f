import { describe, expect, test } from "vitest";
import { short } from "../../../cli/report/charts";
import { reportJson } from "../../../cli/report/json";
import { linesOf } from "../../../cli/report/lines";
import { reportPage, safe } from "../../../cli/report/page";
import { reportOf } from "../../../cli/report/reportOf";
import type { Report } from "../../../cli/report/reportTypes";
import { reportText } from "../../../cli/report/text";
import { syncing, textOf, wholeWay } from "./exampleRecord";

function told(lines: readonly object[], stack = "prod-2"): Report {
  const report = reportOf(linesOf(textOf(lines)), stack);
  if (!report) throw new Error("nothing is told");
  return report;
}

const whole = told(wholeWay);
const begun = told(wholeWay.slice(1, 2));
const shapes: readonly (readonly [string, (report: Report) => string])[] = [
  ["text", (report) => reportText(report, 80)],
  ["JSON", reportJson],
  ["page", reportPage],
];

/** The same lines with one more field wherever an object stands. */
function withField(value: unknown, field: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => withField(each, field));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, each]) => [key, withField(each, field)]);
  return { ...Object.fromEntries(entries), ...field };
}

describe.each(shapes)("the %s", (_name, shown) => {
  test("has only what is known of a line, whatever else stands in the file", () => {
    const spiked = withField(wholeWay, { password: "hunter2", note: { deep: "hunter2" } }) as object[];
    expect(textOf(spiked)).toContain("hunter2");
    expect(shown(told(spiked))).not.toContain("hunter2");
    expect(told(spiked)).toEqual(whole);
  });

  test("can't command a terminal, nor turn its text around", () => {
    const odd = JSON.parse(JSON.stringify(wholeWay).replaceAll("rewards", "re\\u001b[2J\\u009b1m\\u202ewards"));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(shown(told(odd))).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.stringify(told(odd))).toContain("\\u001b[2J");
  });
});

test("the JSON is the report", () => {
  expect(JSON.parse(reportJson(whole))).toEqual(whole);
  const odd = { ...whole, pillar: "A\u202e\u009b\u2028\u{e0001}\n\tB" };
  expect(JSON.parse(reportJson(odd))).toEqual(odd);
});

describe("the text", () => {
  test.each([80, 120, 40])("keeps to %i columns", (columns) => {
    const long = reportText(whole, columns)
      .split("\n")
      .filter((line) => line.length >= columns);
    expect(long).toEqual([]);
  });

  test("of a stack that waits for its sync", () => {
    expect(reportText(told(syncing.slice(1)), 80).split("\n")).toEqual([
      "Pillar Anvil, stack prod-2",
      "2026-11-18 11:10 to 2026-11-18 23:10 UTC (12 h 00 min)",
      "",
      "Still open, by this record",
      "  prod-2  its node is not synced: pulumi up -s prod-2",
      "",
      "Sync of prod-2",
      "  not synced   since 2026-11-18 09:10, last look recorded at 2026-11-18 23:10",
      "               (14 h 00 min)",
      "  height       0 to 2134938: 2134938 momentums, 42.4 a second",
    ]);
  });

  test("of a stack that has begun", () => {
    expect(reportText(begun, 80).split("\n")).toEqual([
      "Pillar Anvil, stack prod-2",
      "2026-11-18 09:00 UTC",
      "",
      "Still open, by this record",
      "  prod-2  its node is not synced: pulumi up -s prod-2",
      "",
      "Time line (UTC; + since the stage before)",
      "* 2026-11-18 09:00  prod-2  host 203.0.113.7 (hetzner, server 52012345)",
    ]);
  });

  test("has an override on top", () => {
    expect(reportText(whole, 80).split("\n").slice(3, 6)).toEqual([
      "!! OVERRIDDEN BY THE OPERATOR",
      '!! 2026-11-21 12:00, prod: "delete the host of Anvil and lose 1.25 ZNN"',
      "!!   in spite of: 1.25 ZNN of rewards are not collected",
    ]);
  });

  test("tells the switch and the signer", () => {
    const lines = reportText(whole, 120).split("\n");
    const from = (heading: string, count: number) => lines.slice(lines.indexOf(heading) + 1).slice(0, count);
    expect(from("Switch to prod-2", 6)).toEqual([
      "  first        momentum 11985590 at 2026-11-20 18:04:30, of z1qnew0000000000000000000000000000000000",
      "  last before  momentum 11985560 at 2026-11-20 17:59:30, of z1qold0000000000000000000000000000000000",
      "  between      5 min, in which other Pillars produced",
      "  registered   119 of 120 momentums in the epoch, by a count of 2026-11-20 18:00 or up to 5 min before",
      "  producing    122 of 124 momentums in the epoch, by a count of 2026-11-20 18:06 or up to 5 min before",
      "  missed       none: no slot of the whole network stayed empty between the two",
    ]);
    expect(from("Signer to prod-2, attempt 1", 4)).toEqual([
      "  ending       moved at 2026-11-20 10:00:30; the new host holds the key",
      "  version      v0.0.9a, then v0.0.9b",
      "  no signer    for 23.4 s",
      "  backup       first at 2026-11-20 09:20: 14 files, 95000 bytes sealed",
    ]);
  });

  test("tells a version once that did not change", () => {
    const same = JSON.parse(JSON.stringify(wholeWay).replaceAll("v0.0.9b", "v0.0.9a")) as object[];
    expect(reportText(told(same), 120)).toContain("\n  version      v0.0.9a\n");
  });

  test("says how many lines were not understood", () => {
    const report = reportOf(linesOf(`${textOf(wholeWay)}{"at"\nnull\n`), "prod-2");
    expect(report && reportText(report, 80).split("\n").at(-1)).toBe(
      "2 lines of the record could not be read: broken off, or of another version.",
    );
  });
});

describe("the page", () => {
  const nasty = `</title><script>alert(1)</script><img src="https://evil.example/x" onerror='alert(2)'>&`;
  const page = reportPage(whole);

  test("runs nothing, loads nothing, and says so to the browser", () => {
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    );
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|image|foreignObject|a)\b/i);
    expect(page).not.toMatch(/\son\w+=|javascript:|@import|\b(src|href)=/i);
    const addresses = [...page.matchAll(/(xmlns(?::\w+)?=")?https?:[^"\s]*/g)].map(([address]) => address);
    expect([...new Set(addresses)].sort()).toEqual([
      'xmlns:xlink="http://www.w3.org/1999/xlink',
      'xmlns="http://www.w3.org/2000/svg',
    ]);
    expect([...page.matchAll(/url\(([^)]*)\)/g)].every(([, target]) => target?.startsWith("#"))).toBe(true);
  });

  test("escapes every text, in the drawings too", () => {
    const odd = JSON.parse(
      JSON.stringify(wholeWay)
        .replaceAll("Anvil", JSON.stringify(`A${nasty}`.replaceAll("/", "|")).slice(1, -1))
        .replaceAll("prod-2", JSON.stringify(`p${nasty.replaceAll("/", "|")}`).slice(1, -1))
        .replaceAll("rewards are", JSON.stringify(nasty).slice(1, -1)),
    ) as object[];
    const shown = reportPage(told(odd, `p${nasty.replaceAll("/", "|")}`));
    expect(shown).not.toMatch(/<script|<img|onerror='/);
    const drawn = [...shown.matchAll(/<svg[\s\S]*?<\/svg>/g)].map(([svg]) => svg).join("");
    expect(drawn).toContain("&lt;script&gt;alert(1)");
    expect(shown).toContain(safe(nasty));
  });

  test("draws the way and the sync, each for a screen and for a phone, in the page's own colours", () => {
    expect([...page.matchAll(/<svg width="(\d+)"/g)].map(([, width]) => width)).toEqual(["860", "340", "860", "340"]);
    const drawn = [...page.matchAll(/<svg[\s\S]*?<\/svg>/g)].map(([svg]) => svg);
    expect(drawn[0]).toContain(">until the wallet was updated: 8 h 50 min (prod-2)</text>");
    expect(drawn[2]).toMatch(/<path d="M[^"]+" fill="none"[^>]* stroke="var\(--one\)"/);
    expect(drawn[2]).toMatch(/<path d="M[^"]+" fill="none"[^>]* stroke="var\(--two\)"/);
    expect(page.split("<style").length).toBe(2);
  });

  test("the curve rises from the first point to the last", () => {
    const drawn = [...page.matchAll(/<svg[\s\S]*?<\/svg>/g)][2]?.[0] ?? "";
    const path = /<path d="([^"]+)" fill="none"[^>]* stroke="var\(--one\)" stroke-width="2"/.exec(drawn)?.[1] ?? "";
    const ys = path.match(/-?[\d.]+/g)?.flatMap((number, i) => (i % 2 === 1 ? [Number(number)] : [])) ?? [];
    expect(ys).toHaveLength(25);
    expect(ys).toEqual([...ys].sort((a, b) => b - a));
  });

  test("of a stack that waits draws the curve so far, and no way", () => {
    const shown = reportPage(told(syncing.slice(1)));
    expect(shown.match(/<svg/g)).toHaveLength(2);
    expect(shown).not.toContain("<ol></ol>");
  });

  test("of a stack that has begun draws nothing", () => {
    const shown = reportPage(begun);
    expect(shown).not.toContain("<svg");
    expect(shown).toContain("its node is not synced: pulumi up -s prod-2");
  });
});

test("heights on the axis are short", () => {
  expect([0, 999, 1500, 12_000_000, 11_982_400].map(short)).toEqual(["0", "999", "1.5 k", "12 M", "12 M"]);
});
