import { expect, test } from "vitest";
import { createForecast, parseStops } from "../../../../core/orchestrator/checks/rehearsal";

const measured = { stops: [0.4, 2], bytes: 50e6, readSeconds: 2, callSeconds: 0.5, earlier: [] };

test("without an earlier move, the longest time is unknown", () => {
  expect(createForecast(measured)).toEqual({
    total: { least: 2.4 },
    lines: [
      "the bridge will be without this orchestrator for at least 2.4 s, plus the start, which was not measured yet",
      "  stop: 0.4 s to 4.0 s",
      "  rest of the copy: 2.0 s to 10.0 s (a trial read 50.0 MB at 25.0 MB/s)",
    ],
  });
  expect(createForecast({ ...measured, stops: [] }).lines[1]).toBe("  stop: unknown: systemd's journal has none");
});

test.each([
  [[6, 8], 3.6, 14, "3.6 s to 14.0 s, by earlier moves"],
  [[10, 90], 6, 136, "6.0 s to 2 min, by earlier moves"],
])("earlier moves of %j seconds bound it", (earlier, least, most, words) => {
  const { total, lines } = createForecast({ ...measured, earlier });
  expect([total.least.toFixed(1), total.most?.toFixed(1)]).toEqual([least.toFixed(1), most.toFixed(1)]);
  expect(lines[0]).toBe(`the bridge will be without this orchestrator for ${words}`);
});

test("reads the stops of a truncated journal", () => {
  expect(parseStops("")).toEqual([]);
  const lines = ["Stopped=10.5", "Stopping=100.25", "Stopped=101", "Stopping=200", "Stopping=300", "Stopped=304.5"];
  expect(parseStops([...lines, "Stopping=400"].join("\n"))).toEqual([0.75, 4.5]);
});
