import type { PillarOnChain, Produced } from "../chain/chainAnswers.ts";
import type { NodeStatus } from "../sync/nodeStatus.ts";
import type { RegistrationAgreement } from "./agreeOnRegistration.ts";

/** The first momentum of a Pillar with an address, of those that were read. `at` in unix milliseconds. */
export type ProducerSwitch = Readonly<{ height: number; at: number }>;

export interface RegistrationMemory {
  /** The address that was registered before this host's. */
  readonly earlier?: string;
  /** Unix milliseconds when this host's address was first seen registered. Absent if another address followed. */
  readonly since?: number;
  /** True if this host's address was ever registered, even if another one followed. */
  readonly wasOurs?: boolean;
  readonly switched?: ProducerSwitch;
  /** The last address that was seen registered since this host's, or instead of it. */
  readonly elsewhere?: string | undefined;
}

export interface RegistrationFacts {
  readonly ours: string;
  readonly agreement: RegistrationAgreement;
  readonly memory: RegistrationMemory;
  readonly switched?: ProducerSwitch | undefined;
  readonly node: Pick<NodeStatus, "synced" | "known" | "why" | "reason">;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Describes whether the Pillar is registered with this host's producer address. Times in unix milliseconds. */
export type Registration = RegistrationBase &
  (
    | { readonly kind: "unknown"; readonly why: string }
    | { readonly kind: "unknownPillar" }
    /** `earlier`: the earlier address is registered, still or again. `foreign`: neither this host's nor the earlier one. */
    | {
        readonly kind: "earlier" | "foreign";
        readonly address: string;
        readonly wasOurs: boolean;
        /** The newest recent momentum of `address` or of this host. Slots change hands two ticks after a wallet update. */
        readonly last?: { readonly height: number; readonly at: number; readonly isOurs: boolean };
      }
    | ({ readonly kind: "registered" } & Ours)
    | ({ readonly kind: "producing"; readonly switched: ProducerSwitch } & Ours)
    /** This host's address is registered while its node is not synced. */
    | ({ readonly kind: "tooEarly"; readonly why: string } & Ours)
  );

interface RegistrationBase {
  /** Names the sources that were left out or contradict the others. */
  readonly notes: readonly string[];
  readonly earlier?: string;
  readonly address?: string;
  /** The first lookup that saw this host's address registered. */
  readonly since?: number;
  readonly switched?: ProducerSwitch;
}

type Ours = Readonly<{ address: string; since: number; figures?: PillarOnChain["figures"] }>;

export function decideRegistration(facts: RegistrationFacts): Registration {
  const { ours, agreement, memory, switched, node, now } = facts;
  const { notes } = agreement;
  const { earlier } = memory;
  if (agreement.kind === "unknown")
    return { kind: "unknown", why: agreement.why, notes, earlier, since: memory.since, switched };
  const { pillar, by } = agreement;
  if (pillar === null) return { kind: "unknownPillar", notes, earlier };

  const { producerAddress: address, figures: counted } = pillar;
  const wasOurs = memory.wasOurs === true;
  if (address !== ours) {
    // The first address that a stack sees counts as its predecessor's. If the stack began with its own address, any
    // other address is foreign.
    const expected = earlier ?? (wasOurs ? ours : address);
    const kind = address === expected ? "earlier" : "foreign";
    const newest = by[0]?.recent.findLast(({ producer }) => producer === ours || producer === address);
    const last = newest && { height: newest.height, at: newest.timestamp, isOurs: newest.producer === ours };
    return { kind, address, wasOurs, notes, last, earlier: kind === "earlier" ? address : earlier };
  }
  const since = memory.since ?? now;
  // Right after its start, a node has not counted any slots.
  const figures = counted.expected > 0 ? counted : undefined;
  const own = { address, since, notes, earlier, figures };
  // A node that only others doubt may be synced: do not warn of a too early registration.
  const isDoubted = node.reason === "unwitnessed" || node.reason === "contradicted";
  if (node.known && !node.synced && !isDoubted) return { kind: "tooEarly", why: node.why, ...own, switched };
  if (switched) return { kind: "producing", switched, ...own };
  return { kind: "registered", ...own };
}

/**
 * Returns the switch to this host's address: the recorded one, or the first momentum of this host after the last one of
 * the address before. Returns undefined if the address before produced last, or if there is neither.
 */
export function findSwitch(momentums: readonly Produced[], ours: string, { earlier, switched }: RegistrationMemory) {
  const last = momentums.findLastIndex(({ producer }) => producer === earlier);
  const first = momentums.slice(last + 1).find(({ producer }) => producer === ours);
  if (first === undefined) return last < 0 ? switched : undefined;
  return switched ?? { height: first.height, at: first.timestamp };
}

export function isOurs(registration: Registration): registration is Extract<Registration, Ours> {
  return ["registered", "producing", "tooEarly"].includes(registration.kind);
}

/** True if this host's address may be printed: it is registered, or node and Pillar are ready and nothing comes before. */
export function mayShowAddress(
  node: Pick<NodeStatus, "synced">,
  registration: Registration,
  isMoveNext = false,
): boolean {
  return isOurs(registration) || (node.synced && registration.kind !== "unknownPillar" && !isMoveNext);
}

/** The output `registration`. Times are ISO 8601. A fact that is not known is absent. `pillar`: the name that was asked for. */
export type RegistrationOutput = Partial<Output> & Pick<Output, "state"> & { readonly pillar?: string };
type Output = ReturnType<typeof createRegistrationOutput>;

export function createRegistrationOutput(registration: Registration) {
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
  };
}
