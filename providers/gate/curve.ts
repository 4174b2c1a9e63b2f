import type { CurvePoint } from "../journey";
import type { NodeClient } from "../rpc/node";

/** Points kept of a wait, whether it takes minutes or days. */
export const curveLimit = 200;

/**
 * A curve with one more point (pure). Where it would be too long, the point whose neighbours are nearest in time goes,
 * never the first or the last: what is left stays even over time, also over waits that were resumed.
 */
export function withPoint(curve: readonly CurvePoint[], point: CurvePoint, limit = curveLimit): readonly CurvePoint[] {
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

/**
 * A client that keeps the curve of what it sees.
 *
 * @param before the curve of the waits before
 * @param now unix milliseconds
 */
export function traced(
  client: NodeClient,
  before: readonly CurvePoint[],
  now: () => number,
): { client: NodeClient; curve(): readonly CurvePoint[] } {
  let curve = before;
  const observe = async () => {
    const observation = await client.observe();
    if (observation.kind === "answer") {
      const { currentHeight, targetHeight } = observation.info;
      curve = withPoint(curve, [now(), currentHeight, targetHeight]);
    }
    return observation;
  };
  return { client: { ...client, observe }, curve: () => curve };
}
