import {
  chanceOf,
  electedFrom,
  type Network,
  type PillarStanding,
  patienceTicks,
  standingText,
  tickOf,
  usualTicks,
} from "../chain/elections";
import type { SyncReason } from "../sync/judgeLook";
import type { NodeStatus } from "../sync/nodeStatus";
import type { NoAgreement, RegistrationAgreement, SourceNote } from "./agreement";
import type { ProducerSwitch } from "./findSwitch";

/** What a stack knows of its Pillar's registration from before. */
export interface RegistrationMemory {
  /** The address that was registered before this host's. */
  readonly earlier?: string;
  /** Unix milliseconds: when this host's was first seen registered, where it has stayed so. */
  readonly since?: number;
  /** It was once, whatever came after. */
  readonly wasOurs?: boolean;
  readonly switched?: ProducerSwitch;
}

/** What one look brought. */
export interface RegistrationFacts {
  /** This host's producer address. */
  readonly ours: string;
  readonly agreement: RegistrationAgreement;
  readonly memory: RegistrationMemory;
  /** The switch, as far as it is known now. */
  readonly switched?: ProducerSwitch | undefined;
  /** Why it could not be looked for. */
  readonly unseen?: string | undefined;
  readonly node: Pick<NodeStatus, "synced" | "known" | "why" | "reason">;
  /** Unix milliseconds. */
  readonly now: number;
  readonly network: Network;
  /** What the wait for the first momentum depends on, as far as it is known. */
  readonly elections?: Elections;
}

/** What a node says of its chain's elections. */
export interface Elections {
  /** Unix milliseconds. */
  readonly genesis?: number;
  readonly standing?: PillarStanding;
}

/** Of the running epoch, as the chain counts them. */
interface Figures {
  readonly expected: number;
  readonly produced: number;
}

/** Where a Pillar's registration stands, seen from this host. `notes`: what is odd about the sources. */
export type Registration = { readonly notes: readonly SourceNote[]; readonly earlier?: string } & (
  | { readonly kind: "unknown"; readonly why: NoAgreement; readonly since?: number; readonly switched?: ProducerSwitch }
  /** Nobody registered a Pillar of that name. */
  | { readonly kind: "unknownPillar" }
  /** Still, or again, the address before. */
  | ({ readonly kind: "earlier" } & NotOurs)
  /** Neither this host's address nor the one before. */
  | ({ readonly kind: "foreign" } & NotOurs)
  /** This host's, which produces no momentum yet. */
  | ({
      readonly kind: "registered";
      readonly wait: ProducingWait;
      readonly isLate: boolean;
      readonly unseen?: string;
    } & Ours)
  /** This host's, and momentums carry it. */
  | ({ readonly kind: "producing"; readonly switched: ProducerSwitch } & Ours)
  /** This host's, while its node is not synced. */
  | ({
      readonly kind: "tooEarly";
      readonly why: string;
      readonly reason?: SyncReason["kind"];
      readonly switched?: ProducerSwitch;
    } & Ours)
);

interface NotOurs {
  readonly address: string;
  readonly wasOurs: boolean;
  /** The newest momentum of this host's address or of that one, of late: elections follow the wallet two ticks later. */
  readonly last?: { readonly height: number; readonly at: number; readonly isOurs: boolean };
}

interface Ours {
  readonly address: string;
  /** Unix milliseconds, of the first look that saw it. */
  readonly since: number;
  readonly figures?: Figures;
}

/** The wait for the first momentum of an address. Times in unix milliseconds. */
export interface ProducingWait {
  /** From then on its slots are this address's. */
  readonly from: number;
  /** By then it has had one in half of the cases, and in all but fewer than one of 10,000; absent where that can't be told. */
  readonly usually?: number;
  readonly surely?: number;
  /** The Pillar's place among all, in words. */
  readonly standing: string;
}

/** Decides where the registration stands. */
export function registrationOf(facts: RegistrationFacts): Registration {
  const { ours, agreement, memory, switched, unseen, node, now } = facts;
  const { notes } = agreement;
  const known = memory.earlier === undefined ? {} : { earlier: memory.earlier };
  if (agreement.kind === "unknown") {
    const since = memory.since === undefined ? {} : { since: memory.since };
    return { kind: "unknown", why: agreement.why, notes, ...known, ...since, ...(switched ? { switched } : {}) };
  }
  const { pillar, by } = agreement;
  if (pillar === null) return { kind: "unknownPillar", notes, ...known };

  const { producerAddress: address, figures: counted } = pillar;
  const wasOurs = memory.wasOurs === true;
  if (address !== ours) {
    // What a stack sees first is what was there before it; where it began with its own, another one is news.
    const expected = memory.earlier ?? (wasOurs ? ours : address);
    const kind = address === expected ? "earlier" : "foreign";
    const last = by[0]?.recent.findLast(({ producer }) => producer === ours || producer === address);
    const seen = last && { last: { height: last.height, at: last.timestamp, isOurs: last.producer === ours } };
    return { kind, address, wasOurs, notes, ...seen, ...(kind === "earlier" ? { earlier: address } : known) };
  }
  const since = memory.since ?? now;
  // Right after a node's start it has not counted yet.
  const figures = counted.expected > 0 ? { figures: counted } : {};
  const own = { address, since, notes, ...known, ...figures };
  // Witnesses that are silent say nothing against a node that produces.
  if (node.known && !node.synced && node.reason !== "unwitnessed") {
    const { why, reason } = node;
    return { kind: "tooEarly", why, reason, ...own, switched };
  }
  if (switched) return { kind: "producing", switched, ...own };
  const wait = waitOf(since, facts);
  const isLate = wait.surely !== undefined && now > wait.surely;
  return { kind: "registered", wait, isLate, ...own, unseen };
}

/** Estimates the wait of an address that was first seen registered at a time. */
export function waitOf(
  since: number,
  { network, elections = {} }: Pick<RegistrationFacts, "network" | "elections">,
): ProducingWait {
  const { genesis, standing } = elections;
  const from = electedFrom(since, genesis, network);
  const known = { from, standing: standingText(standing, network) };
  if (standing === undefined) return known;
  const { least } = chanceOf(standing, network);
  const after = (ticks: number) => from + ticks * tickOf(network);
  return { ...known, usually: after(usualTicks(least)), surely: after(patienceTicks(least)) };
}

/** True if this host's address is registered. */
export function isOurs(registration: Registration): registration is Extract<Registration, Ours> {
  return ["registered", "producing", "tooEarly"].includes(registration.kind);
}
