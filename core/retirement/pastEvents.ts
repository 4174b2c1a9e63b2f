import { lastEvent } from "../eventLog/eventLog";
import type { LogEvent } from "../eventLog/events";

/** What the record of a migration remembers of a stack's host (pure): for whom no guard tells, or not all of it. */
export function pastEvents(events: readonly LogEvent[], stack: string) {
  const begun = lastEvent(events, stack, "host");
  return {
    /** ISO 8601: the stack has a host since. */
    since: begun?.at,
    begun: begun?.details,
    recorded: lastEvent(events, stack, "recorded")?.details,
    knownProducer: lastEvent(events, stack, "producing")?.details.producerAddress,
  };
}
