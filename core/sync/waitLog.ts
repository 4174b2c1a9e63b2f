import type { NodeClient } from "../chain/node";
import { type EventLog, type LogRef, openEventLog } from "../eventLog/eventLog";
import type { LogEvent } from "../eventLog/events";
import { findValidEvents } from "../eventLog/guardFacts";
import type { SyncResult } from "./waitForSync";

/** Milliseconds after which a run logs the start of its wait, in case the run is killed later. */
const firstAfter = 60_000;

/** The waits of all runs for a host. */
interface Waits {
  readonly startedAt?: string | undefined;
  readonly startHeight?: number | undefined;
  readonly earlier?: string | undefined;
}

/** Writes a wait to the event log. Problems with the log cause a message, and never stop the wait. */
export interface WaitLog {
  /** The wait as earlier runs logged it. */
  readonly before: Waits;
  /** Wraps the client so that the log gets the height of the first observation. */
  logStart(client: NodeClient, start: Waits & { readonly startedAt: string }): NodeClient;
  /** Writes the start, if it is not written yet, and the address that was registered before this host's. */
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
  const before = place && log ? await readWaits(log, place, address, say) : {};
  const due = now() + firstAfter;
  let start = { startedAt: "", startHeight: before.startHeight };
  let isWritten = before.startedAt !== undefined;
  const write = async (earlier = before.earlier) => {
    isWritten = true;
    await log?.note({ event: "waiting", details: { address, ...start, earlier } });
  };
  return {
    before,
    logStart: (client, { startedAt, startHeight }) => {
      start = { startedAt, startHeight };
      const observe = async () => {
        const observation = await client.observe();
        if (observation.kind === "none") return observation;
        start.startHeight ??= observation.info.currentHeight;
        if (!isWritten && now() >= due) await write();
        return observation;
      };
      return { ...client, observe };
    },
    pause: async (earlier) => {
      if (!isWritten || (earlier !== undefined && earlier !== before.earlier)) await write(earlier);
    },
    end: async ({ state: _, targetHeight: __, ...proof }) => {
      await log?.note({ event: "synced", details: proof });
    },
  };
}

/** Returns no waits, with a message, if the event log is unreadable. */
async function readWaits(
  log: EventLog,
  { stack }: LogRef,
  address: string,
  say: (line: string) => void,
): Promise<Waits> {
  try {
    return findWaits(await log.read(), stack, address);
  } catch (error) {
    say(`sync: ${(error as Error).message}`);
    return {};
  }
}

/** Returns what the event log says about the waits for a host, up to its sync or its deletion. */
function findWaits(events: readonly LogEvent[], stack: string, address: string): Waits {
  const waits = findValidEvents(events, stack, "waits").flatMap(({ details }) =>
    details.address === address ? [details] : [],
  );
  return {
    startedAt: waits[0]?.startedAt,
    startHeight: waits.find(({ startHeight }) => startHeight !== undefined)?.startHeight,
    earlier: waits.findLast(({ earlier }) => earlier !== undefined)?.earlier,
  };
}
