import type { LogEvent } from "../eventLog/events";
import { type FactName, standing } from "../eventLog/guardFacts";
import type { GuardMemory, RetirementInputs } from "./guardInputs";

/**
 * The output `remembered`: what the state of a stack keeps of its host, beside the record, for whoever decides on it once
 * either is lost. What is missing is not known, and never "no". No secret; no address that was not shown.
 */
export interface Remembered extends Partial<Omit<GuardMemory, "createdAt">> {
  /** ISO 8601: the stack has the host since. */
  readonly since?: string;
  readonly recorded?: RetirementInputs["recorded"];
  /** The producer address that was shown of it: it was synced, or registered. */
  readonly producer?: string;
}

/** What record and state together know of a stack's host: what the one has lost, the other has. */
export function rememberedBy(events: readonly LogEvent[], stack: string, inState: Remembered = {}) {
  const last = <F extends FactName>(fact: F) => standing(events, stack, fact).at(-1);
  const [location, produced] = [last("location"), last("produced")];
  const beginnings = [location?.at, inState.since].filter((at) => at !== undefined).sort();
  const words = [last("begun")?.details.isOwnWork, inState.isOwnWork].filter((word) => word !== undefined);
  return {
    location: location?.details,
    /** ISO 8601: the earliest that is known. */
    since: beginnings[0],
    isReached: last("reached") !== undefined || inState.isReached === true,
    isOwnWork: words.length > 0 && words.every((word) => word),
    recorded: inState.recorded ?? last("chain")?.details,
    knownProducer: inState.producer ?? produced?.details.producerAddress,
    hasProduced: inState.produced === "seen" || produced !== undefined,
  };
}

export type KnownOfHost = ReturnType<typeof rememberedBy>;

/** What of it a guard is told, to keep it in the state. */
export function knownToGuard({ isReached, recorded, knownProducer, hasProduced }: KnownOfHost) {
  const remembered = {
    isReached: isReached ? (true as const) : undefined,
    recorded,
    produced: hasProduced ? ("seen" as const) : undefined,
  };
  return { remembered: isReached || recorded || hasProduced ? remembered : undefined, knownProducer };
}
