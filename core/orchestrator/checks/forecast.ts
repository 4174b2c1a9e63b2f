import { durationText } from "../../util/timeText";

/** Seconds, from the least to the most; undefined where nobody measured. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** What was measured without touching anything; seconds. */
export interface Measured {
  /** How long the unit's last stops took, by its journal. */
  readonly stops: readonly number[];
  /** Bytes of the directory, and how long it took to read all of it once. */
  readonly bytes: number;
  readonly readSeconds: number;
  /** How long one call on each host takes. */
  readonly callSeconds: number;
  /** How long the bridge was without this signer in earlier moves, by the record. */
  readonly earlier: readonly number[];
}

/** How long the bridge will be without this signer, with its parts; seconds. */
export interface Forecast {
  readonly stop: Range | undefined;
  readonly copy: Range;
  readonly start: Range | undefined;
  /** `most` is missing where a part is unknown. */
  readonly total: { readonly least: number; readonly most?: number };
}

/** Steps between the stop and the start that wait for one another, at least and at most. */
const calls: Range = { least: 4, most: 12 };

/**
 * What a gap is made of: the stop; the rest of the copy, of which only what changed since the bulk copy is taken, at
 * worst all of it, read on both sides; and the start to the first good answer, which nobody can try beforehand: the moves
 * before this one tell it.
 */
export function forecastOf({ stops, readSeconds, callSeconds, earlier }: Measured): Forecast {
  const stop = stops.length === 0 ? undefined : { least: Math.min(...stops), most: 1.5 * Math.max(...stops) + 1 };
  const copy = { least: calls.least * callSeconds, most: calls.most * callSeconds + 2 * readSeconds };
  const known = earlier.length === 0 ? undefined : { least: Math.min(...earlier), most: Math.max(...earlier) };
  const start = known && {
    least: Math.max(0, known.least - (stop?.most ?? known.least) - copy.most),
    most: Math.max(0, known.most - (stop?.least ?? 0) - copy.least),
  };
  if (start === undefined || known === undefined)
    return { stop, copy, start: undefined, total: { least: (stop?.least ?? 0) + copy.least } };
  // As long as before, or as long as the parts say, whichever is more.
  const most = Math.max(1.5 * known.most + 1, (stop?.most ?? 0) + copy.most + start.most);
  return { stop, copy, start, total: { least: 0.6 * known.least, most } };
}

/** Seconds between words of a unit's journal, as signer_stops prints them. */
export function stopsIn(printed: string): number[] {
  const lines = printed.split("\n").map((line) => line.split("="));
  return lines.flatMap(([word, at], i) => {
    const [next, end] = lines[i + 1] ?? [];
    return word === "Stopping" && next === "Stopped" ? [Number(end) - Number(at)] : [];
  });
}

/** The forecast in lines for an operator. */
export function forecastLines({ stop, copy, start, total }: Forecast, { bytes, readSeconds }: Measured): string[] {
  const rate = readSeconds > 0 ? ` at ${(bytes / 1e6 / readSeconds).toFixed(1)} MB/s` : "";
  const gap =
    total.most === undefined
      ? `at least ${secondsText(total.least)}, and the start, which nobody has measured`
      : rangeText({ least: total.least, most: total.most });
  return [
    `the bridge will be without this signer for ${gap}`,
    `  stop: ${stop === undefined ? "unknown: its journal has no stop" : rangeText(stop)}`,
    `  rest of the copy: ${rangeText(copy)} (${(bytes / 1e6).toFixed(1)} MB were read once${rate})`,
    `  start: ${start === undefined ? "unknown: it can't be tried while the old host signs" : `${rangeText(start)}, by earlier moves`}`,
  ];
}

const rangeText = ({ least, most }: Range) => `${secondsText(least)} to ${secondsText(most)}`;
const secondsText = (seconds: number) => (seconds < 60 ? `${seconds.toFixed(1)} s` : durationText(seconds * 1000));
