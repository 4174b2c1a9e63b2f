import type { Network } from "../chain/elections";
import type { BuildInfo, OrchestratorIdentity } from "../chain/orchestrator";
import type { Answered } from "../chain/reading";
import type { BridgeNow } from "../orchestrator/checks/bridgeNow";
import type { NodeStatus } from "../sync/nodeStatus";
import type { ChainReading, ChainWord } from "./readChain";
import type { HostFacts, HostObservation } from "./readHost";
import type { RewardsReading } from "./readRewards";

/** `retire` stops the old host's node; `destroy` gives up the whole host. */
export type RetirementStep = "retire" | "destroy";

/** Loss if the operator goes on in spite of an unmet condition. */
export type Loss = "momentums" | "rewards" | "the signer";

/**
 * A finding about a condition. Its texts hold no producer address: the caller that shows a finding decides which
 * addresses appear, because an address that is registered before its node is synced earns nothing.
 */
export type Finding =
  | string
  | { readonly kind: "producer"; readonly address: string }
  | { readonly kind: "alternates"; readonly address: string | undefined; readonly height: number | undefined }
  /** `successors`: undefined while the successor's node is not synced. */
  | { readonly kind: "registered"; readonly address: string; readonly successors: string | undefined }
  /** `within`: milliseconds. */
  | { readonly kind: "noMomentum"; readonly address: string; readonly within: number };

/** A condition that is not met. */
export interface Unmet {
  readonly loss: Loss;
  readonly what: string;
  /** True if waiting is enough. */
  readonly isCuredByTime?: boolean;
  /** Names of the nodes that say so. */
  readonly saidBy?: readonly string[];
  readonly found?: readonly Finding[];
  readonly needed: string;
}

/** Facts about a host that does not answer. */
type HostUnseen =
  /** The host can be switched off by its cloud provider. */
  | { readonly unseen: string; readonly provider: string }
  /** The cloud's API has just switched it off. */
  | { readonly off: string }
  /** ISO 8601: this stack's other guard has released it and shut it down. */
  | { readonly released: string };

/** Facts on which a retirement is decided; an unknown fact never counts as good. */
export interface RetirementFacts {
  readonly pillar: string;
  readonly stack: string;
  readonly step: RetirementStep;
  readonly address: string;
  readonly host: HostObservation | HostUnseen;
  /** The producer address that the host had in an earlier run. */
  readonly knownProducer?: string | undefined;
  readonly memory: {
    /** False only of a server that this stack ordered and never reached. */
    readonly isReached: boolean;
    /** True if this stack deployed the node, so that the node can't have produced before. */
    readonly isOwnWork: boolean;
    /** True if the host produced since the stack got it; undefined if nobody searched the chain. */
    readonly hasProduced?: boolean | undefined;
  };
  readonly successor?:
    | {
        readonly address: string;
        readonly hostKey: string;
        readonly look: HostObservation;
        readonly node: NodeStatus;
        /** Answer of the orchestrator's getBuildInfo. */
        readonly build?: { readonly value: BuildInfo } | { readonly error: string } | undefined;
        readonly identity?: OrchestratorIdentity | undefined;
      }
    | undefined;
  readonly readings: readonly ChainReading[];
  /** True if a reference answered, a momentum is recorded, or the operator took the risk of another chain. */
  readonly isChainKnown: boolean;
  readonly rewards: readonly RewardsReading[];
  /** True if the operator typed that the rewards are collected. */
  readonly saysCollected: boolean;
  /** Reasons why no proved backup on this machine counts for the orchestrator that was here; empty if one does. */
  readonly backupFaults: readonly string[];
  /** The bridge's key; read only if the host can't report its orchestrator. */
  readonly bridge?: BridgeNow | undefined;
  /** Identity of the orchestrator, by event log or the successor's journal; read only in the same case. */
  readonly identity?: Readonly<Partial<Record<string, string>>> | undefined;
  /** ISO 8601: when the node was shut down with no orchestrator on the host. */
  readonly noSignerAt?: string | undefined;
  readonly network: Network;
}

export interface RetirementVerdict {
  readonly unmet: readonly Unmet[];
  readonly evidence: readonly string[];
}

/** Environment variable by which the operator confirms collected rewards; its value is the Pillar's name. */
export const collectedVariable = "PILLAR_HOST_REWARDS_COLLECTED";

/** A reading that counts. */
export type GoodReading = Answered<ChainWord>;

/** Returns the producer address of the retired host, if known. */
export function ownProducer({ host, knownProducer }: Pick<RetirementFacts, "host" | "knownProducer">) {
  return ownProducers({ host, knownProducer })[0];
}

/** Returns all producer addresses that the host has or had: its key may have been overwritten. */
export function ownProducers({ host, knownProducer }: Pick<RetirementFacts, "host" | "knownProducer">): string[] {
  const configured = "facts" in host ? host.facts.producer : undefined;
  return [...new Set([configured, knownProducer].filter((address) => address !== undefined))];
}

/** Adds the cloud provider to the observation of a silent host, since the provider can switch it off. */
export function addProvider(observation: HostObservation, provider: string | undefined): HostObservation | HostUnseen {
  if (!("silent" in observation) || observation.isRefused || provider === undefined) return observation;
  return { unseen: observation.silent, provider };
}

/** True if an orchestrator is, or was, on the host. */
export function hasOrchestratorTraces({ signer }: HostFacts): boolean {
  return signer.active || signer.hasDirectory || signer.journal !== undefined;
}

export function met(...evidence: string[]): RetirementVerdict {
  return { unmet: [], evidence };
}

export function notMet(...unmet: Unmet[]): RetirementVerdict {
  return { unmet, evidence: [] };
}

/** Returns a `notMet` for one kind of loss. */
export const failWith =
  (loss: Loss) =>
  (...unmet: readonly Omit<Unmet, "loss">[]) =>
    notMet(...unmet.map((each) => ({ ...each, loss })));

export function combine(verdicts: readonly RetirementVerdict[]): RetirementVerdict {
  return {
    unmet: verdicts.flatMap(({ unmet }) => unmet),
    evidence: verdicts.flatMap(({ evidence }) => evidence),
  };
}
