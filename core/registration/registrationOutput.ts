import { isOurs, type Registration } from "./registration";

/** The output `registration`. Times are ISO 8601. */
export interface RegistrationOutput {
  readonly state: Registration["kind"];
  /** True if this host's producer address is registered. Absent if that is not known. */
  readonly registered?: boolean;
  /** True if momentums carry this host's address. Absent if that is not known. */
  readonly producing?: boolean;
  readonly address?: string;
  /** The producer address that was registered before this host's. */
  readonly earlier?: string;
  /** The time at which a run first saw this host's address registered. */
  readonly since?: string;
  /** The time of the first momentum that carried this host's address. */
  readonly switchedAt?: string;
  readonly height?: number;
  /** True if the run listed the wallet update with this host's address as the next step. */
  readonly offered?: boolean;
  readonly notes?: readonly string[];
}

export function createRegistrationOutput(registration: Registration): RegistrationOutput {
  const { kind: state, address, earlier, since, switched } = registration;
  const notes = [...registration.notes];
  // The notes may already say why no source answers.
  if (registration.kind === "unknown" && registration.why !== notes.join("; ")) notes.push(registration.why);
  const isKnown = state !== "unknown";
  return {
    state,
    registered: isKnown ? isOurs(registration) : undefined,
    producing: isKnown ? isOurs(registration) && switched !== undefined : undefined,
    address,
    earlier,
    since: since === undefined ? undefined : new Date(since).toISOString(),
    switchedAt: switched && new Date(switched.at).toISOString(),
    height: switched?.height,
    notes: notes.length > 0 ? notes : undefined,
  };
}
