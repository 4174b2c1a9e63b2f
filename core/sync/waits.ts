import type { NodeClient } from "../chain/node";
import { type EventLog, type LogRef, openEventLog } from "../eventLog/eventLog";
import type { CurvePoint } from "../eventLog/events";
import { openWaits, type Waits, withPoint } from "./curve";
import type { SyncRecord } from "./waitForSync";

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
  pause(): Promise<void>;
  /** It ended well. */
  end(record: SyncRecord): Promise<void>;
}

/** @param now unix milliseconds */
export async function createWaitRecord(
  place: LogRef | undefined,
  address: string,
  now: () => number,
  say: (line: string) => void,
): Promise<WaitRecord> {
  const log = place && openEventLog(place, { now, say: (line) => say(`sync: ${line}`) });
  const before = place && log ? await waitsIn(log, place, address, say) : { curve: [] };
  let { curve } = before;
  let unwritten: readonly CurvePoint[] = [];
  let started: Pick<Waits, "startHeight"> & { readonly startedAt: string } = { startedAt: "" };
  let due = now() + firstAfter;
  const write = async () => {
    due = now() + every;
    const details = { address, ...started, curve: unwritten };
    unwritten = [];
    await log?.note({ event: "waiting", details });
  };
  return {
    before,
    traced: (client, { startedAt, startHeight }) => {
      started = { startedAt, startHeight };
      const observe = async () => {
        const observation = await client.observe();
        if (observation.kind === "none") return observation;
        const { currentHeight, targetHeight } = observation.info;
        started = { startedAt: started.startedAt, startHeight: started.startHeight ?? currentHeight };
        const point = [now(), currentHeight, targetHeight] as const;
        curve = withPoint(curve, point);
        unwritten = withPoint(unwritten, point, pointsInLine);
        if (now() >= due) await write();
        return observation;
      };
      return { ...client, observe };
    },
    pause: async () => {
      if (unwritten.length > 0) await write();
    },
    end: async ({ state: _, targetHeight: __, ...proof }) => {
      await log?.note({ event: "synced", details: { ...proof, curve } });
    },
  };
}

/** Of the runs before; nothing, and why, where the event log can't be read. */
async function waitsIn(log: EventLog, { stack }: LogRef, address: string, say: (line: string) => void): Promise<Waits> {
  try {
    return openWaits(await log.read(), stack, address);
  } catch (error) {
    say(`sync: ${(error as Error).message}`);
    return { curve: [] };
  }
}
