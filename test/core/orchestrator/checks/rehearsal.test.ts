import { expect, test } from "vitest";
import { createForecast } from "../../../../core/orchestrator/checks/rehearsal.ts";

const measured = { bytes: 50e6, readSeconds: 2, callSeconds: 0.5, earlier: [] };

test("without an earlier move, the longest time is unknown", () => {
  expect(createForecast(measured)).toEqual({
    total: { least: 2 },
    lines: [
      "the bridge will be without this orchestrator for at least 2.0 s, plus the stop and the start, which were not measured yet",
      "  rest of the copy: 2.0 s to 10.0 s (a trial read 50.0 MB at 25.0 MB/s)",
    ],
  });
});

test.each([
  [[6, 8], 3.6, 13, "3.6 s to 13.0 s, by earlier moves"],
  [[10, 90], 6, 136, "6.0 s to 2 min, by earlier moves"],
])("earlier moves of %j seconds bound it", (earlier, least, most, words) => {
  const { total, lines } = createForecast({ ...measured, earlier });
  expect([total.least.toFixed(1), total.most?.toFixed(1)]).toEqual([least.toFixed(1), most.toFixed(1)]);
  expect(lines[0]).toBe(`the bridge will be without this orchestrator for ${words}`);
});
