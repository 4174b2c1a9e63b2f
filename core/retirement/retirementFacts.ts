import type { Network } from "../chain/elections";
import type { BuildInfo, OrchestratorIdentity } from "../chain/orchestrator";
import type { Answered } from "../chain/reading";
import type { BridgeNow } from "../orchestrator/checks/bridgeNow";
import type { NodeStatus } from "../sync/nodeStatus";
import type { ChainReading, ChainWord } from "./readChain";
import type { HostFacts, HostObservation } from "./readHost";
import type { RewardsReading } from "./readRewards";

/** What is to happen: the old host's node is stopped, or all of it is given up. */
export type RetirementStep = "retire" | "destroy";

/** What would be lost by going on all the same. */
export type Loss = "momentums" | "rewards" | "the signer";

/**
 * What was found of a condition. Words have no producer address in them: who shows it decides which of those are seen,
 * as one that is registered while its node is not synced earns nothing.
 */
export type Finding =
  | string
  | { readonly kind: "producer"; readonly address: string }
  | { readonly kind: "alternates"; readonly address: string | undefined; readonly height: number | undefined }
  /** `successors`: undefined while its node is not synced. */
  | { readonly kind: "registered"; readonly address: string; readonly successors: string | undefined }
  /** Milliseconds. */
  | { readonly kind: "noMomentum"; readonly address: string; readonly within: number };

/** A condition that is not met. */
export interface Unmet {
  readonly loss: Loss;
  /** What is wrong. */
  readonly what: string;
  /** Nothing has to be put right: it is met some time later. */
  readonly isCuredByTime?: boolean;
  /** Who says so, of several who were asked. */
  readonly saidBy?: readonly string[];
  readonly found?: readonly Finding[];
  /** What to do about it. */
  readonly needed: string;
}

/** A host that does not answer, and what is known of it all the same. */
export type HostUnseen =
  /** Its cloud provider can switch it off. */
  | { readonly unseen: string; readonly provider: string }
  /** The cloud's API has switched it off just now. */
  | { readonly off: string }
  /** This stack's other guard let it go just now, and shut it down. */
  | { readonly released: string };

/** All that is known; what is not known is not taken for good. */
export interface RetirementFacts {
  readonly pillar: string;
  readonly stack: string;
  readonly step: RetirementStep;
  readonly address: string;
  readonly host: HostObservation | HostUnseen;
  /** The producer address that this host was known by before. */
  readonly knownProducer?: string | undefined;
  /** What the guard remembers of the stack. */
  readonly memory: {
    /** Somebody may have been in: false only of a server that this stack ordered, and that never let it in. */
    readonly isReached: boolean;
    /** This stack stood its node up: what it never produced since, it never produced. */
    readonly isOwnWork: boolean;
    /** Since the stack has the host: proved, disproved, or not looked for. */
    readonly hasProduced?: boolean | undefined;
  };
  readonly successor?:
    | {
        readonly address: string;
        readonly hostKey: string;
        readonly look: HostObservation;
        readonly node: NodeStatus;
        /** Of its orchestrator. */
        readonly build?: { readonly value: BuildInfo } | { readonly error: string } | undefined;
        /** Identity of that orchestrator, if it tells one. */
        readonly identity?: OrchestratorIdentity | undefined;
      }
    | undefined;
  readonly readings: readonly ChainReading[];
  /**
   * A reference is among the readings, each of them has a momentum that was recorded before, or the operator took the risk of
   * another chain.
   */
  readonly isChainKnown: boolean;
  readonly rewards: readonly RewardsReading[];
  /** The operator typed that the rewards are collected. */
  readonly saysCollected: boolean;
  /** Why no proved backup on this machine counts as one of the signer that was here; nothing where one does. */
  readonly backupFaults: readonly string[];
  /** By the chain; asked where the host can't tell of its signer itself. */
  readonly bridge?: BridgeNow | undefined;
  /** Identity of the signer, as the record or the successor's journal has it; likewise. */
  readonly identity?: Readonly<Partial<Record<string, string>>> | undefined;
  /** ISO 8601: when the node was shut down no orchestrator was on the host. */
  readonly noSignerAt?: string | undefined;
  readonly network: Network;
}

/** Whether it may be done, why, and on what evidence. */
export interface RetirementVerdict {
  readonly unmet: readonly Unmet[];
  readonly evidence: readonly string[];
}

/** The environment variable of the operator's word about the rewards: the Pillar's name. */
export const collectedVariable = "PILLAR_HOST_REWARDS_COLLECTED";

/** A node's word that counts. */
export type Good = Answered<ChainWord>;

/** The producer address of the host that is retired, as far as it is known. */
export function ownProducer({ host, knownProducer }: Pick<RetirementFacts, "host" | "knownProducer">) {
  return ownProducers({ host, knownProducer })[0];
}

/** All producer addresses that the host is, or was, known by: its key may have been overwritten. */
export function ownProducers({ host, knownProducer }: Pick<RetirementFacts, "host" | "knownProducer">): string[] {
  const configured = "facts" in host ? host.facts.producer : undefined;
  return [...new Set([configured, knownProducer].filter((address) => address !== undefined))];
}

/** A host as it was seen: where it does not answer, its cloud's provider can do something about it. */
export function hostSeen(look: HostObservation, provider: string | undefined): HostObservation | HostUnseen {
  if (!("silent" in look) || look.isRefused || provider === undefined) return look;
  return { unseen: look.silent, provider };
}

/** Whether an orchestrator is, or was, on a host. */
export function hasOrchestratorTraces({ signer }: HostFacts): boolean {
  return signer.active || signer.hasDirectory || signer.journal !== undefined;
}

export function met(...evidence: string[]): RetirementVerdict {
  return { unmet: [], evidence };
}

export function not(...unmet: Unmet[]): RetirementVerdict {
  return { unmet, evidence: [] };
}

/** Returns a `not` of one loss. */
export const notOf =
  (loss: Loss) =>
  (...unmet: readonly Omit<Unmet, "loss">[]) =>
    not(...unmet.map((each) => ({ ...each, loss })));

export function all(verdicts: readonly RetirementVerdict[]): RetirementVerdict {
  return {
    unmet: verdicts.flatMap(({ unmet }) => unmet),
    evidence: verdicts.flatMap(({ evidence }) => evidence),
  };
}
