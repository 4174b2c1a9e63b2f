import type { Block } from "../chain/sameChain";
import type { LogEvent } from "../eventLog/events";
import { type FactName, findValidEvents } from "../eventLog/guardFacts";

export interface GuardMemory {
  /** ISO 8601. */
  readonly createdAt: string;
  /** True if this stack has logged in to the host. */
  readonly isReached: boolean;
  /** True if this stack deploys the node, instead of adopting one. */
  readonly isOwnWork: boolean;
  /** `seen`: momentums carried the host's producer address; if `unknown`, the chain is asked. */
  readonly produced?: "seen" | "unknown" | undefined;
}

/**
 * Facts of a host that the state keeps in case the event log is lost. A missing field means unknown, never "no".
 * Holds no secret, and a producer address only after the operator has seen it.
 */
export interface Remembered extends Partial<Omit<GuardMemory, "createdAt">> {
  /** ISO 8601. */
  readonly since?: string;
  readonly recorded?: Block | undefined;
  /** Producer address; kept once its node was synced or the address was registered. */
  readonly producer?: string;
}

/** Merges a host's facts in event log and state, because either may be lost. */
export function mergeHostMemory(events: readonly LogEvent[], stack: string, inState: Remembered = {}) {
  const last = <F extends FactName>(fact: F) => findValidEvents(events, stack, fact).at(-1);
  const [location, produced] = [last("location"), last("produced")];
  const [earliest] = [location?.at, inState.since].filter((at) => at !== undefined).sort();
  const words = [last("begun")?.details.isOwnWork, inState.isOwnWork].filter((word) => word !== undefined);
  return {
    location: location?.details,
    /** The earliest known time at which this stack had the host. */
    createdAt: earliest ?? new Date().toISOString(),
    isReached: last("reached") !== undefined || inState.isReached === true,
    isOwnWork: words.length > 0 && words.every((word) => word),
    recorded: inState.recorded ?? last("chain")?.details,
    knownProducer: inState.producer ?? produced?.details.producerAddress,
    produced: inState.produced === "seen" || produced !== undefined ? ("seen" as const) : undefined,
  };
}

export type HostMemory = ReturnType<typeof mergeHostMemory>;

/** Returns a guard's memory after a run. A known fact stays known. `old` is empty for a new guard. */
export function updateGuardMemory(
  old: Partial<GuardMemory>,
  { lifecycle, remembered }: { readonly lifecycle: string; readonly remembered?: Remembered | undefined },
): GuardMemory {
  return {
    createdAt: old.createdAt ?? new Date().toISOString(),
    isReached: old.isReached === true || lifecycle !== "retiring" || remembered?.isReached === true,
    isOwnWork: old.createdAt === undefined ? lifecycle === "active" : old.isOwnWork === true,
    produced: old.produced === "seen" ? "seen" : (remembered?.produced ?? "unknown"),
  };
}

/** True if the host may hold something: false only for a server that this stack ordered and never logged in to. */
export function isReached({ isOwnServer }: { readonly isOwnServer: boolean }, memory: GuardMemory): boolean {
  return memory.isReached || !isOwnServer;
}
