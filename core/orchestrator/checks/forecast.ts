import { formatDuration } from "../../util/timeText";

/** A range of seconds. */
interface Range {
  readonly least: number;
  readonly most: number;
}

export interface ForecastInputs {
  /** Seconds that the unit's last stops took, by systemd's journal. */
  readonly stops: readonly number[];
  readonly bytes: number;
  /** Seconds of reading the orchestrator's directory once. */
  readonly readSeconds: number;
  /** Seconds of one call on both hosts at once. */
  readonly callSeconds: number;
  /** Seconds without an orchestrator in earlier moves. */
  readonly earlier: readonly number[];
}

/** Expected seconds without an orchestrator. */
export interface Forecast {
  /** Undefined if systemd's journal has no stop. */
  readonly stop: Range | undefined;
  readonly copy: Range;
  /** Undefined before the first move. */
  readonly start: Range | undefined;
  /** Without `most` before the first move. */
  readonly total: { readonly least: number; readonly most?: number };
}

/** Number of calls, one after another, between stop and start. */
const calls: Range = { least: 4, most: 12 };

/**
 * Forecasts the seconds of three parts: the stop; copying what changed (at worst everything, read on both hosts); and
 * from the start to the first good answer, known from earlier moves only.
 */
export function createForecast({ stops, readSeconds, callSeconds, earlier }: ForecastInputs): Forecast {
  const stop = stops.length === 0 ? undefined : { least: Math.min(...stops), most: 1.5 * Math.max(...stops) + 1 };
  const copy = { least: calls.least * callSeconds, most: calls.most * callSeconds + 2 * readSeconds };
  const gap = earlier.length === 0 ? undefined : { least: Math.min(...earlier), most: Math.max(...earlier) };
  const start = gap && {
    least: Math.max(0, gap.least - (stop?.most ?? gap.least) - copy.most),
    most: Math.max(0, gap.most - (stop?.least ?? 0) - copy.least),
  };
  if (start === undefined || gap === undefined)
    return { stop, copy, start: undefined, total: { least: (stop?.least ?? 0) + copy.least } };
  const most = Math.max(1.5 * gap.most + 1, (stop?.most ?? 0) + copy.most + start.most);
  return { stop, copy, start, total: { least: 0.6 * gap.least, most } };
}

/** Parses the output of signer_stops into the seconds of each stop. */
export function parseStops(printed: string): number[] {
  const lines = printed.split("\n").map((line) => line.split("="));
  return lines.flatMap(([word, at], i) => {
    const [next, end] = lines[i + 1] ?? [];
    return word === "Stopping" && next === "Stopped" ? [Number(end) - Number(at)] : [];
  });
}

export function formatForecast(
  { stop, copy, start, total }: Forecast,
  { bytes, readSeconds }: ForecastInputs,
): string[] {
  const rate = readSeconds > 0 ? ` at ${(bytes / 1e6 / readSeconds).toFixed(1)} MB/s` : "";
  const gap =
    total.most === undefined
      ? `at least ${secondsText(total.least)}, plus the start, which was not measured yet`
      : rangeText({ least: total.least, most: total.most });
  return [
    `the bridge will be without this orchestrator for ${gap}`,
    `  stop: ${stop === undefined ? "unknown: systemd's journal has none" : rangeText(stop)}`,
    `  rest of the copy: ${rangeText(copy)} (a trial read ${(bytes / 1e6).toFixed(1)} MB${rate})`,
    `  start: ${start === undefined ? "unknown: no start can be tried while the old host signs" : `${rangeText(start)}, by earlier moves`}`,
  ];
}

const rangeText = ({ least, most }: Range) => `${secondsText(least)} to ${secondsText(most)}`;
const secondsText = (seconds: number) => (seconds < 60 ? `${seconds.toFixed(1)} s` : formatDuration(seconds * 1000));
