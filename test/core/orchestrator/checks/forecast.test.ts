import { expect, test } from "vitest";
import {
  createForecast,
  type ForecastInputs,
  formatForecast,
  parseStops,
} from "../../../../core/orchestrator/checks/forecast";

const measured: ForecastInputs = { stops: [0.4, 2], bytes: 50e6, readSeconds: 2, callSeconds: 0.5, earlier: [] };

test("without an earlier move, the start and the maximum are unknown", () => {
  const forecast = createForecast(measured);
  expect(forecast).toEqual({
    stop: { least: 0.4, most: 4 },
    copy: { least: 2, most: 10 },
    start: undefined,
    total: { least: 2.4 },
  });
  expect(formatForecast(forecast, measured)).toEqual([
    "the bridge will be without this orchestrator for at least 2.4 s, plus the start, which was not measured yet",
    "  stop: 0.4 s to 4.0 s",
    "  rest of the copy: 2.0 s to 10.0 s (a trial read 50.0 MB at 25.0 MB/s)",
    "  start: unknown: no start can be tried while the old host signs",
  ]);
});

test("earlier moves bound the start", () => {
  const { start, total } = createForecast({ ...measured, earlier: [6, 9] });
  expect(start).toEqual({ least: 0, most: 6.6 });
  expect(total.least).toBeCloseTo(3.6);
  expect(total.most).toBeCloseTo(20.6);
});

test("accepts a journal without a stop, and a truncated one", () => {
  expect(parseStops("")).toEqual([]);
  expect(
    parseStops("Stopped=10.5\nStopping=100.25\nStopped=101\nStopping=200\nStopping=300\nStopped=304.5\nStopping=400"),
  ).toEqual([0.75, 4.5]);
  expect(formatForecast(createForecast({ ...measured, stops: [] }), measured)[1]).toBe(
    "  stop: unknown: systemd's journal has none",
  );
});
