import type { NodeClient } from "../chain/node";
import { type EventLog, type LogRef, openEventLog } from "../eventLog/eventLog";
import type { CurvePoint } from "../eventLog/events";
import { addPoint, openWaits, type Waits } from "./curve";
import type { SyncResult } from "./waitForSync";

/** Milliseconds until the first event, so that a run that is killed early also leaves its start. */
const firstAfter = 60_000;
/** Milliseconds between events: a run that is killed loses at most this much of a curve. */
const every = 30 * 60_000;
/** Points of one event. A week of events still holds more points than the curve keeps. */
const pointsInLine = 6;

/** Writes a wait to the event log. Problems with the log cause a message, and never stop the wait. */
export interface WaitLog {
  /** Measurements of the runs before. */
  readonly before: Waits;
  /** Wraps the client so that the log gets its observations. */
  logObservations(
    client: NodeClient,
    start: { readonly startedAt: string; readonly startHeight?: number | undefined },
  ): NodeClient;
  /** Writes the remaining points after the wait gave up, and the address that was registered before this host's. */
  pause(earlier?: string): Promise<void>;
  end(record: SyncResult): Promise<void>;
}

export async function createWaitLog(
  place: LogRef | undefined,
  address: string,
  now: () => number,
  say: (line: string) => void,
): Promise<WaitLog> {
  const log = place && openEventLog(place, { now, say: (line) => say(`sync: ${line}`) });
  const before: Waits = place && log ? await readWaits(log, place, address, say) : { curve: [] };
  let { curve } = before;
  let unwritten: readonly CurvePoint[] = [];
  let started: Pick<Waits, "startHeight"> & { readonly startedAt: string } = { startedAt: "" };
  let due = now() + firstAfter;
  const write = async (earlier = before.earlier) => {
    due = now() + every;
    const details = { address, ...started, earlier, curve: unwritten };
    unwritten = [];
    await log?.note({ event: "waiting", details });
  };
  return {
    before,
    logObservations: (client, { startedAt, startHeight }) => {
      started = { startedAt, startHeight };
      const observe = async () => {
        const observation = await client.observe();
        if (observation.kind === "none") return observation;
        const { currentHeight, targetHeight } = observation.info;
        started = { startedAt: started.startedAt, startHeight: started.startHeight ?? currentHeight };
        const point = [now(), currentHeight, targetHeight] as const;
        curve = addPoint(curve, point);
        unwritten = addPoint(unwritten, point, pointsInLine);
        if (now() >= due) await write();
        return observation;
      };
      return { ...client, observe };
    },
    pause: async (earlier) => {
      if (unwritten.length > 0) await write(earlier);
    },
    end: async ({ state: _, targetHeight: __, ...proof }) => {
      await log?.note({ event: "synced", details: { ...proof, curve } });
    },
  };
}

/** Returns an empty curve, with a message, if the event log is unreadable. */
async function readWaits(
  log: EventLog,
  { stack }: LogRef,
  address: string,
  say: (line: string) => void,
): Promise<Waits> {
  try {
    return openWaits(await log.read(), stack, address);
  } catch (error) {
    say(`sync: ${(error as Error).message}`);
    return { curve: [] };
  }
}
