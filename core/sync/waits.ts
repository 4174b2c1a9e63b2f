import type { NodeClient } from "../chain/node";
import { appendEvent, type CurvePoint, readEvents } from "../eventLog/eventLog";
import { resolvePath } from "../util/resolvePath";
import { openWaits, type Waits, withPoint } from "./curve";
import type { SyncRecord } from "./waitForSync";

/** Where a wait is recorded: a directory, relative to the project, and whose record it is. */
export interface WaitLog {
  readonly directory: string;
  readonly stack: string;
  readonly pillar: string;
}

/** A run that is killed soon is to leave its start, too. */
const firstAfter = 60_000;
/** As much of a curve is lost at most when the machine goes off. */
const every = 30 * 60_000;
/** Points of a line: with all lines of a week the curve is finer than it is kept. */
const pointsInLine = 6;

/** The record of a wait. What can't be written or read is said: it never hinders the sync. */
export interface WaitRecord {
  /** Of the runs before. */
  readonly before: Waits;
  /** The client, looking on at what it sees. */
  traced(
    client: NodeClient,
    start: { readonly startedAt: string; readonly startHeight?: number | undefined },
  ): NodeClient;
  /** The wait gave up. */
  pause(): void;
  /** It ended well. */
  end(record: SyncRecord): void;
}

/** @param now unix milliseconds */
export function createWaitRecord(
  place: WaitLog | undefined,
  address: string,
  now: () => number,
  say: (line: string) => void,
): WaitRecord {
  const directory = resolvePath(place?.directory ?? "");
  const careful = (act: (place: WaitLog) => void) => {
    if (!place) return;
    try {
      act(place);
    } catch (error) {
      say(`sync: the record of the migration could not be kept: ${(error as Error).message}`);
    }
  };
  let before: Waits = { curve: [] };
  careful(({ stack, pillar }) => {
    before = openWaits(readEvents(directory, pillar), stack, address);
  });
  let { curve } = before;
  let unwritten: readonly CurvePoint[] = [];
  let started: Pick<Waits, "startHeight"> & { readonly startedAt: string } = { startedAt: "" };
  let due = now() + firstAfter;
  const write = () => {
    due = now() + every;
    const details = { address, ...started, curve: unwritten };
    unwritten = [];
    const at = new Date(now()).toISOString();
    careful(({ stack, pillar }) => appendEvent(directory, { at, stack, pillar, event: "waiting", details }));
  };
  return {
    before,
    traced: (client, { startedAt, startHeight }) => {
      started = { startedAt, ...(startHeight === undefined ? {} : { startHeight }) };
      const observe = async () => {
        const observation = await client.observe();
        if (observation.kind === "none") return observation;
        const { currentHeight, targetHeight } = observation.info;
        started = { startHeight: currentHeight, ...started };
        const point = [now(), currentHeight, targetHeight] as const;
        curve = withPoint(curve, point);
        unwritten = withPoint(unwritten, point, pointsInLine);
        if (now() >= due) write();
        return observation;
      };
      return { ...client, observe };
    },
    pause: () => {
      if (unwritten.length > 0) write();
    },
    end: ({ startHeight, currentHeight, proved, unproved, ...times }) => {
      const startedAt = new Date(times.startedAt).toISOString();
      const syncedAt = new Date(times.syncedAt).toISOString();
      const details = { startedAt, syncedAt, startHeight, currentHeight, proved, unproved, curve };
      careful(({ stack, pillar }) => appendEvent(directory, { at: syncedAt, stack, pillar, event: "synced", details }));
    },
  };
}
