import { noteText, unknownText } from "./messages";
import { isOurs, type Registration } from "./registration";

/** The output `registration`. Times are ISO 8601. */
export interface RegistrationShown {
  readonly state: Registration["kind"];
  /** With this host's producer address; absent where that is not known. */
  readonly registered?: boolean;
  /** Momentums carry it; likewise. */
  readonly producing?: boolean;
  /** The producer address that is registered now. */
  readonly address?: string;
  /** The one before this host's. */
  readonly earlier?: string;
  /** When a run first saw this host's address registered. */
  readonly since?: string;
  /** The first momentum that carried it. */
  readonly switchedAt?: string;
  readonly height?: number;
  /** The run said that the wallet comes next, with this host's address. */
  readonly offered?: boolean;
  /** Which sources were left out or contradicted, and why. */
  readonly notes?: readonly string[];
}

/** What is shown of a registration. */
export function registrationShown(registration: Registration): RegistrationShown {
  const { kind: state, earlier } = registration;
  const why = registration.kind === "unknown" ? registration.why : undefined;
  // What keeps everybody from telling is in the notes.
  const notes = [...registration.notes.map(noteText), ...(why && why.kind !== "nobodyTells" ? [unknownText(why)] : [])];
  const switched = "switched" in registration ? registration.switched : undefined;
  const since = "since" in registration ? registration.since : undefined;
  return {
    state,
    ...(state === "unknown" ? {} : { registered: isOurs(registration), producing: isOurs(registration) && !!switched }),
    ...("address" in registration ? { address: registration.address } : {}),
    earlier,
    since: since === undefined ? undefined : new Date(since).toISOString(),
    ...(switched ? { switchedAt: new Date(switched.at).toISOString(), height: switched.height } : {}),
    notes: notes.length > 0 ? notes : undefined,
  };
}
