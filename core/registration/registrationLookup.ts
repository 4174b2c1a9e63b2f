import { momentumPage } from "../chain/chain.ts";
import { readWholePage } from "../chain/reading.ts";
import { type EventLog, type LogRef, readEvents } from "../eventLog/eventLog.ts";
import type { EventBody, LogEvent, Optional } from "../eventLog/events.ts";
import { openStore } from "../store/openStore.ts";
import { withTimeout } from "../util/withTimeout.ts";
import type { PillarAnswer } from "./agreeOnRegistration.ts";
import {
  decideRegistration,
  findSwitch,
  isOurs,
  type Registration,
  type RegistrationFacts,
  type RegistrationMemory,
} from "./registration.ts";

const searchTime = 8000;

/** Decides the state of the registration, and whether this host's address produces. Never throws. */
export async function judgeRegistration(facts: Omit<RegistrationFacts, "switched">): Promise<Registration> {
  const { ours, memory, agreement } = facts;
  const [source] = agreement.kind === "settled" ? agreement.by : [];
  if (source?.pillar?.producerAddress !== ours) return decideRegistration({ ...facts, switched: memory.switched });
  const late = `${source.client.name} gave no momentums within ${searchTime / 1000} s`;
  try {
    const momentums = memory.switched ? source.recent : await withTimeout(readNewestPage(source), searchTime, late);
    return decideRegistration({ ...facts, switched: findSwitch(momentums, ours, memory) });
  } catch (error) {
    const notes = [...agreement.notes, `this host's momentums could not be searched: ${(error as Error).message}`];
    return decideRegistration({ ...facts, agreement: { ...agreement, notes } });
  }
}

/** Reads a whole page, about three hours: a Pillar of low rank may have no slot among the recent momentums. */
async function readNewestPage({ client, newest: { height } }: PillarAnswer) {
  const read = await readWholePage(client, Math.max(1, height - momentumPage + 1), height);
  if ("fault" in read) throw new Error(read.fault.why);
  return read.page;
}

/**
 * Returns what the event log says about a registration. Events from before the Pillar switched to another address do
 * not count. `seen` is the address before this host's, as the last run reported it.
 */
export function collectRegistrationMemory(events: readonly LogEvent[], stack: string, ours: string, seen?: string) {
  let memory: RegistrationMemory = seen === undefined || seen === ours ? {} : { earlier: seen };
  for (const entry of events.filter((each) => each.stack === stack)) {
    // An address that was registered before this one, such as that of a key that the host lost.
    const isDetour = entry.event === "registeredElsewhere" && entry.details.earlier !== undefined;
    const before =
      entry.event === "registered" ||
      entry.event === "producing" ||
      (entry.event === "registeredElsewhere" && !isDetour);
    if (before && entry.details.producerAddress !== ours && memory.wasOurs !== true)
      memory = { earlier: entry.details.producerAddress };
    else if (entry.event === "registeredTooEarly" && entry.details.producerAddress === ours)
      memory = { ...memory, earlier: entry.details.earlier ?? memory.earlier };
    else if (entry.event === "registered" && entry.details.producerAddress === ours)
      memory = { ...memory, since: memory.since ?? Date.parse(entry.at), wasOurs: true, elsewhere: undefined };
    else if (entry.event === "registeredElsewhere") {
      const { since: _, switched: __, ...kept } = memory;
      const { producerAddress: elsewhere, earlier = kept.earlier } = entry.details;
      memory = { ...kept, earlier, elsewhere };
    } else if (entry.event === "producing" && entry.details.producerAddress === ours) {
      const { height, switchedAt, earlier = memory.earlier } = entry.details;
      const since = memory.since ?? Date.parse(entry.at);
      memory = { since, wasOurs: true, switched: { height, at: Date.parse(switchedAt) }, earlier };
    }
  }
  return memory;
}

/** Returns the state changes that the event log does not have yet, so that it gets each of them once. */
export function findRegistrationChanges(registration: Registration, memory: RegistrationMemory): Optional<EventBody>[] {
  if (registration.kind === "earlier" || registration.kind === "foreign") {
    const { address: producerAddress, earlier } = registration;
    if (memory.since !== undefined) return [{ event: "registeredElsewhere", details: { producerAddress } }];
    // The wallet's detour to a third address, and its end, while this host's address is not registered.
    const last = memory.elsewhere ?? memory.earlier ?? producerAddress;
    return last === producerAddress ? [] : [{ event: "registeredElsewhere", details: { producerAddress, earlier } }];
  }
  if (!isOurs(registration)) return [];
  const { address: producerAddress, earlier, switched } = registration;
  const news: Optional<EventBody>[] = [];
  if (memory.since === undefined) {
    news.push({ event: "registered", details: { producerAddress } });
    // A node that was synced and falls behind later does not count as registered too early.
    if (registration.kind === "tooEarly")
      news.push({ event: "registeredTooEarly", details: { producerAddress, earlier } });
  }
  if (switched && switched.height !== memory.switched?.height) {
    const { height, at } = switched;
    const details = { producerAddress, height, switchedAt: new Date(at).toISOString(), earlier };
    news.push({ event: "producing", details });
  }
  return news;
}

/** Reads the registration from the event log. An unreadable log counts as empty. */
export async function readRegistrationMemory({ directory, stack, pillar }: LogRef, ours: string, seen?: string) {
  try {
    return collectRegistrationMemory(await readEvents(openStore(directory), pillar), stack, ours, seen);
  } catch {
    return collectRegistrationMemory([], stack, ours, seen);
  }
}

/**
 * Appends state changes, and returns them. Compares with the current log, because the cached state (`memory`) may be
 * empty. Most lookups find no change and do not read the log again.
 */
export async function noteRegistration(
  log: EventLog,
  registration: Registration,
  { stack, ours, memory }: { readonly stack: string; readonly ours: string; readonly memory: RegistrationMemory },
): Promise<readonly EventBody[]> {
  if (findRegistrationChanges(registration, memory).length === 0) return [];
  return log.noteChanges((events) =>
    findRegistrationChanges(registration, collectRegistrationMemory(events, stack, ours)),
  );
}
