import type { EventBody, EventDetails, LogEvent, Optional } from "../eventLog/events";
import type { ProducerSwitch } from "./findSwitch";
import { isOurs, type Registration, type RegistrationMemory } from "./registration";

const iso = (time: number) => new Date(time).toISOString();

/**
 * Returns what the event log says about a registration. Events from before the Pillar switched to another address do
 * not count. `seen` is the address before this host's, as the last run reported it.
 */
export function collectRegistrationMemory(
  events: readonly LogEvent[],
  stack: string,
  ours: string,
  seen?: string,
): RegistrationMemory {
  let memory: RegistrationMemory = seen === undefined || seen === ours ? {} : { earlier: seen };
  for (const entry of events.filter((each) => each.stack === stack)) {
    if (entry.event === "registeredTooEarly" && entry.details.producerAddress === ours) {
      const { earlier } = entry.details;
      if (earlier !== undefined) memory = { ...memory, earlier };
    } else if (entry.event === "registered" && entry.details.producerAddress === ours)
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
    const last = before && { ...before, at: iso(before.at) };
    const details = { producerAddress, height, switchedAt: iso(at), orBefore, before: last };
    news.push({ event: "producing", details });
  }
  return news;
}
