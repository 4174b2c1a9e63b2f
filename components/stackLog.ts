import type { StackConfig } from "../core/config/config.ts";
import { createStackLogRef, openStackStore } from "../core/config/stackStore.ts";
import { type EventLog, openEventLog, readEvents } from "../core/eventLog/eventLog.ts";
import type { LogEvent } from "../core/eventLog/events.ts";
import { warn } from "./log.ts";

/** Opens the stack's event log. Its `note` only warns if an event can't be written. */
export function openStackLog(config: StackConfig): EventLog {
  return openEventLog(createStackLogRef(config), { now: () => Date.now(), say: (line) => void warn(line) });
}

/** Reads the events of the Pillar's stacks. @throws if the event log can't be read */
export async function readStackEvents(config: StackConfig): Promise<readonly LogEvent[]> {
  return await readEvents(openStackStore(config), config.pillar.name);
}
