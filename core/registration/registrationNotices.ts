import type { EventBody } from "../eventLog/events";
import { commandsFor } from "../util/commands";
import type { Registration } from "./registration";
import { formatRegistration } from "./registrationMessages";

interface RegistrationNotice {
  readonly event: "registered" | "producing" | "retirementPossible";
  readonly message: string;
}

/** Returns the notifications for state changes. The event log gets each change once, so each is sent once. */
export function findRegistrationNotices(
  news: readonly EventBody[],
  registration: Registration,
  { stack, pillar }: { readonly stack: string; readonly pillar: string },
  now: number,
): RegistrationNotice[] {
  const sentence = formatRegistration(registration, pillar, now);
  const notices: RegistrationNotice[] = [];
  if (registration.kind === "registered" && news.some(({ event }) => event === "registered"))
    notices.push({ event: "registered", message: sentence });
  const producing = news.find((each) => each.event === "producing");
  if (registration.kind !== "producing" || producing === undefined) return notices;
  notices.push({ event: "producing", message: sentence });
  const { before } = producing.details;
  if (before !== undefined)
    notices.push({
      event: "retirementPossible",
      message: `the old host (producer address ${before.producerAddress}) can be shut down now; OLD is its stack: ${commandsFor("OLD").retire(stack)}`,
    });
  return notices;
}
