import { isOurs, type Registration } from "./registration";

/** The output `registration`. Times are ISO 8601. A fact that is not known is absent. */
export type RegistrationOutput = Partial<Output> & Pick<Output, "state">;
type Output = ReturnType<typeof createRegistrationOutput>;

/** Creates the output. `offered`: true if the run listed the wallet update with this host's address as the next step. */
export function createRegistrationOutput(registration: Registration, offered?: boolean) {
  const { kind: state, address, earlier, since, switched } = registration;
  const notes = [...registration.notes];
  // The notes may already say why no source answers.
  if (registration.kind === "unknown" && registration.why !== notes.join("; ")) notes.push(registration.why);
  const isKnown = state !== "unknown";
  return {
    state,
    /** True if this host's producer address is registered. */
    registered: isKnown ? isOurs(registration) : undefined,
    /** True if momentums carry this host's address. */
    producing: isKnown ? isOurs(registration) && switched !== undefined : undefined,
    address,
    /** The producer address that was registered before this host's. */
    earlier,
    /** The time at which a run first saw this host's address registered. */
    since: since === undefined ? undefined : new Date(since).toISOString(),
    /** The time of the first momentum that carried this host's address. */
    switchedAt: switched && new Date(switched.at).toISOString(),
    height: switched?.height,
    notes: notes.length > 0 ? notes : undefined,
    offered,
  };
}
