import { type EventLog, type LogRef, readEvents } from "../eventLog/eventLog";
import type { EventBody, EventDetails, LogEvent, Optional } from "../eventLog/events";
import { openStore } from "../store/openStore";
import { withTimeout } from "../util/withTimeout";
import { agreeOnPillar } from "./agreeOnRegistration";
import { findSwitch, isUndone, type ProducerSwitch } from "./findSwitch";
import type { PillarAnswer, PillarReading } from "./pillarReadings";
import {
  decideRegistration,
  type Elections,
  isOurs,
  type Registration,
  type RegistrationFacts,
  type RegistrationMemory,
} from "./registration";

export interface RegistrationLookup extends Pick<RegistrationFacts, "ours" | "memory" | "node" | "network"> {
  /** The sources' answers. Their clients are still open, because one of them is asked for more momentums. */
  readonly readings: readonly PillarReading[];
  /** Returns unix milliseconds. */
  now(): number;
}

const searchTime = 8000;

/** Decides the state of the registration, and searches for this host's first momentum if it is not known yet. Never throws. */
export async function judgeRegistration(look: RegistrationLookup): Promise<Registration> {
  const { ours, memory, node, network, readings } = look;
  const agreement = agreeOnPillar(readings);
  const facts = { ours, agreement, memory, node, now: look.now(), network };
  const [source] = agreement.kind === "settled" ? agreement.by : [];
  if (source?.pillar?.producerAddress !== ours) return decideRegistration({ ...facts, switched: memory.switched });
  const late = `${source.client.name} gave no momentums within ${searchTime / 1000} s`;
  try {
    const switched = await withTimeout(findCurrentSwitch(source, look), searchTime, late);
    const elections = switched ? {} : await withTimeout(readElections(source), searchTime, late);
    return decideRegistration({ ...facts, switched, elections });
  } catch (error) {
    return decideRegistration({ ...facts, unseen: (error as Error).message });
  }
}

async function findCurrentSwitch(source: PillarAnswer, look: RegistrationLookup): Promise<ProducerSwitch | undefined> {
  const { switched, earlier } = look.memory;
  if (switched && !isUndone(switched, source.recent, look.ours, earlier)) return switched;
  const { client, recent } = source;
  return findSwitch(client.momentums, recent, look.ours, earlier);
}

async function readElections({ client, pillar }: PillarAnswer): Promise<Elections> {
  const [[first], standing] = await Promise.all([client.momentums(1, 1), client.standing(pillar?.name ?? "")]);
  return { genesis: first?.timestamp, standing };
}

/**
 * Returns what the event log says about a registration. Events from before the Pillar switched to another address do
 * not count. `seen` is the address before this host's, as the last run reported it.
 */
export function collectRegistrationMemory(events: readonly LogEvent[], stack: string, ours: string, seen?: string) {
  let memory: RegistrationMemory = seen === undefined || seen === ours ? {} : { earlier: seen };
  for (const entry of events.filter((each) => each.stack === stack)) {
    if (entry.event === "registeredTooEarly" && entry.details.producerAddress === ours)
      memory = { ...memory, earlier: entry.details.earlier ?? memory.earlier };
    else if (entry.event === "registered" && entry.details.producerAddress === ours)
      memory = { ...memory, since: memory.since ?? Date.parse(entry.at), wasOurs: true };
    else if (entry.event === "registeredElsewhere") {
      const { since: _, switched: __, ...kept } = memory;
      memory = kept;
    } else if (entry.event === "producing" && entry.details.producerAddress === ours) {
      const switched = parseSwitch(entry.details);
      const earlier = switched.before?.producerAddress ?? memory.earlier;
      const since = memory.since ?? Date.parse(entry.at);
      memory = { since, wasOurs: true, switched, earlier };
    }
  }
  return memory;
}

function parseSwitch({ height, switchedAt, orBefore, before }: EventDetails["producing"]): ProducerSwitch {
  const last = before && { ...before, at: Date.parse(before.at) };
  return { height, at: Date.parse(switchedAt), orBefore, before: last };
}

/** Returns the state changes that the event log does not have yet, so that it gets each of them once. */
export function findRegistrationChanges(registration: Registration, memory: RegistrationMemory): Optional<EventBody>[] {
  if (registration.kind === "earlier" || registration.kind === "foreign")
    return memory.since === undefined
      ? []
      : [{ event: "registeredElsewhere", details: { producerAddress: registration.address } }];
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
    const { height, at, before, orBefore } = switched;
    const last = before && { ...before, at: new Date(before.at).toISOString() };
    const details = { producerAddress, height, switchedAt: new Date(at).toISOString(), orBefore, before: last };
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
