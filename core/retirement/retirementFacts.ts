import type { BuildInfo, OrchestratorIdentity } from "../chain/orchestrator.ts";
import type { Answered } from "../chain/reading.ts";
import type { BridgeNow } from "../orchestrator/checks/bridgeState.ts";
import type { NodeStatus } from "../sync/nodeStatus.ts";
import type { Result } from "../util/result.ts";
import type { GuardMemory } from "./guardMemory.ts";
import type { ChainAnswer, ChainReading } from "./readChain.ts";
import type { HostFacts, HostObservation } from "./readHost.ts";
import type { RewardsReading } from "./readRewards.ts";
import type { RetirementInputs } from "./retirementInputs.ts";

/** `retire` stops the node; `destroy` gives up the host. */
export type RetirementStep = "retire" | "destroy";

export type Loss = "momentums" | "rewards" | "the orchestrator";

/** A condition that is not met. Names no producer address but the registered one: another may be of an unsynced node. */
export interface Condition {
  /** Does not change with runs, nodes and figures. */
  readonly kind: string;
  readonly what: string;
  /** True if waiting is enough. */
  readonly isCuredByTime?: boolean;
  readonly saidBy?: readonly string[];
  readonly found?: readonly string[];
  readonly needed: string;
}

export const createCondition = (kind: string, rest: Omit<Condition, "kind">): Condition => ({ kind, ...rest });

/** A statement of a rule: a condition that is not met, or evidence for one that is. */
export type Judgement = Condition | string;
export type Judgements = Judgement | readonly Judgement[];

export type Unmet = Condition & { readonly loss: Loss };
export type RetirementVerdict = Readonly<{ unmet: readonly Unmet[]; evidence: readonly string[] }>;

/** A host that does not answer. */
type HostUnseen =
  /** Its cloud provider can switch it off. */
  | { readonly unseen: string; readonly provider: string }
  /** The cloud provider's API has just switched it off. */
  | { readonly off: string };

/** All that a verdict depends on. An unknown fact never counts as good. */
export interface RetirementFacts extends Pick<RetirementInputs, "pillar" | "stack" | "knownProducer"> {
  readonly step: RetirementStep;
  readonly address: string;
  readonly host: HostObservation | HostUnseen;
  /** `isReached`: false only for an own server that was never logged in to. */
  readonly memory: Pick<GuardMemory, "isReached" | "isOwnWork">;
  /** ISO 8601: since when the event log has the host, without a registration of it. Absent if the log lacks a line. */
  readonly unregisteredSince?: string | undefined;
  /** True if this host's address has a momentum since the deploy; undefined if that was not searched, or can't be seen. */
  readonly hasProduced?: boolean | undefined;
  /** Reasons why the registered address may be of this host, to which the stack never logged in. */
  readonly registrationDoubts?: readonly string[] | undefined;
  readonly successor?:
    | {
        readonly address: string;
        readonly hostKey: string;
        readonly look: HostObservation;
        readonly node: NodeStatus;
        readonly build?: Result<BuildInfo> | undefined;
        readonly identity?: OrchestratorIdentity | undefined;
      }
    | undefined;
  readonly readings: readonly ChainReading[];
  /** True if a reference answered, a momentum is recorded, or the operator accepted the risk of another chain. */
  readonly isChainKnown: boolean;
  readonly rewards: readonly RewardsReading[];
  /** Reasons why no backup here counts for the host's orchestrator; empty if one does. */
  readonly backupFaults: readonly string[];
  /** The bridge's key; read only for a silent host, unless its orchestrator works on the successor. */
  readonly bridge?: BridgeNow | undefined;
  /** The orchestrator's identity, by event log or the successor's journal; read only for a silent host. */
  readonly identity?: Readonly<Partial<Record<string, string>>> | undefined;
  /** ISO 8601: when the host was shut down with no orchestrator on it. */
  readonly noOrchestratorAt?: string | undefined;
}

export type GoodReading = Answered<ChainAnswer>;

/** Returns the facts of a successor that answers. */
export function findSuccessorFacts(successor: RetirementFacts["successor"]): HostFacts | undefined {
  return successor && "facts" in successor.look ? successor.look.facts : undefined;
}

/** Lists the key shares outside of the orchestrator's directory of a host that answers. */
export function listSharesBeside(host: RetirementFacts["host"]): readonly string[] {
  return ("facts" in host && host.facts.orchestrator.sharesBeside) || [];
}

/** Returns the producer addresses that the host has or had: its key may have been overwritten. */
export function listOwnProducers({ host, knownProducer }: Pick<RetirementFacts, "host" | "knownProducer">): string[] {
  const configured = "facts" in host ? host.facts.producer : undefined;
  return [...new Set([configured, knownProducer].filter((address) => address !== undefined))];
}

/** Adds a silent host's cloud provider, since the provider can switch the host off. */
export function addProvider(observation: HostObservation, provider: string | undefined): HostObservation | HostUnseen {
  if (!("silent" in observation) || observation.isRefused || provider === undefined) return observation;
  return { unseen: observation.silent, provider };
}

export function hasOrchestratorTraces({ orchestrator }: HostFacts): boolean {
  return orchestrator.active || orchestrator.hasDirectory || orchestrator.journal !== undefined;
}
