import { type EventLog, type LogRef, openEventLog } from "../eventLog/eventLog";
import type { LogEvent } from "../eventLog/events";
import { findValidEvents } from "../eventLog/guardFacts";
import type { SyncResult } from "./waitForSync";

/** Milliseconds after which a run logs the start of its wait, in case the run is killed later. */
const firstAfter = 60_000;

/** A wait for a host, over all runs. */
interface Wait {
  readonly startedAt: string;
  readonly startHeight?: number | undefined;
  /** The address that was registered before this host's. */
  readonly earlier?: string | undefined;
}

/** Opens the log of a wait. Problems with the log cause a message, and never stop the wait. */
export async function createWaitLog(place: LogRef, address: string, now: () => number, say: (line: string) => void) {
  const log = openEventLog(place, { now, say });
  const before = await readWaits(log, place, address, say);
  const due = now() + firstAfter;
  let isLogged = before.startedAt !== undefined;
  return {
    /** The wait as earlier runs logged it. */
    before,
    /** Logs a wait that is not logged yet, and at its end also a new earlier address. */
    note: async (wait: Wait, isEnd = false) => {
      const isNews = !isLogged || (isEnd && wait.earlier !== before.earlier);
      if (!isNews || (!isEnd && now() < due)) return;
      isLogged = true;
      await log.note({ event: "waiting", details: { address, ...wait } });
    },
    end: async ({ state: _, targetHeight: __, ...proof }: SyncResult) => {
      await log.note({ event: "synced", details: proof });
    },
  };
}

/** Reads the waits for a host, up to its sync or its deletion. None, with a message, if the event log is unreadable. */
async function readWaits(
  log: EventLog,
  { stack }: LogRef,
  address: string,
  say: (line: string) => void,
): Promise<Partial<Wait>> {
  const events = await log.read().catch((error: Error): LogEvent[] => {
    say(error.message);
    return [];
  });
  const waits = findValidEvents(events, stack, "waits").flatMap(({ details }) =>
    details.address === address ? [details] : [],
  );
  return {
    startedAt: waits[0]?.startedAt,
    startHeight: waits.find(({ startHeight }) => startHeight !== undefined)?.startHeight,
    earlier: waits.findLast(({ earlier }) => earlier !== undefined)?.earlier,
  };
}
