import type { CurvePoint, LogEvent } from "../eventLog/events";
import { findValidEvents } from "../eventLog/guardFacts";

export const curveLimit = 200;

/**
 * Returns a curve with one more point. If it gets too long, drops the point whose neighbours are nearest in time, but
 * never the first or the last, so that points stay evenly spread, also across resumed waits.
 */
export function addPoint(curve: readonly CurvePoint[], point: CurvePoint, limit = curveLimit): readonly CurvePoint[] {
  const points = [...curve, point];
  while (points.length > limit) {
    let least = 1;
    for (let i = 2; i < points.length - 1; i += 1) if (span(points, i) < span(points, least)) least = i;
    points.splice(least, 1);
  }
  return points;
}

function span(points: readonly CurvePoint[], i: number): number {
  return (points[i + 1]?.[0] ?? 0) - (points[i - 1]?.[0] ?? 0);
}

export interface Waits {
  readonly startedAt?: string;
  readonly startHeight?: number;
  readonly earlier?: string;
  readonly curve: readonly CurvePoint[];
}

/** Returns what the event log says about the waits for a host, up to its sync or its deletion. */
export function openWaits(events: readonly LogEvent[], stack: string, address: string): Waits {
  let waits: Waits = { curve: [] };
  for (const { details } of findValidEvents(events, stack, "waits")) {
    if (details.address !== address) continue;
    const { startedAt, startHeight, earlier, curve } = details;
    waits = {
      startedAt: waits.startedAt ?? startedAt,
      startHeight: waits.startHeight ?? startHeight,
      earlier: earlier ?? waits.earlier,
      curve: curve.reduce((all, point) => addPoint(all, point), waits.curve),
    };
  }
  return waits;
}
