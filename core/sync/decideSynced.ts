import type { Momentum, Observation } from "../chain/node.ts";
import { formatVersionFault, type VersionGap } from "../chain/requiredVersions.ts";
import type { SyncProof } from "../eventLog/events.ts";
import type { Clock } from "../util/clock.ts";
import type { GateSettings } from "./gateSettings.ts";
import { claimsSynced, judgeObservation, type SyncReason } from "./judgeObservation.ts";
import { judgeWitnesses, type WitnessAnswers } from "./judgeWitnesses.ts";

export type EvidenceOptions = Pick<GateSettings, "tolerance" | "isChainUnverified" | "confirmations" | "confirmSpan">;

/** A lookup of the node, and of the references if the node says that it is synced. */
export interface SyncLookup extends WitnessAnswers {
  readonly observation: Observation;
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  /** Unix milliseconds of this machine's clock. */
  readonly clock: number;
}

/** The good lookups in a row. `since`: `at` of the first one. */
export const noEvidence = { streak: 0, since: 0 };

export type SyncDecision = ReturnType<typeof decideSynced>;

/** The line that status and check print every time if the operator accepted the risk. */
export const chainRisk = "not verified: sync.unverifiedChain is set, so no witness is asked about the chain";
export const chainGap = "which chain the node is on: no reference and no old host confirms a momentum of it";

const unwitnessedReason: SyncReason = {
  kind: "unwitnessed",
  text: "the node says synced, and no witness confirms its chain yet: a reference or the old host must answer",
};

/**
 * Adds a lookup to the evidence and decides whether the node is synced. The node's own answer must be good
 * (judgeObservation), references that agree with each other must not contradict its height, and a witness must confirm
 * its chain: a fork has fresh momentums, too. `good`: this lookup alone speaks for a synced node. `isUnwitnessed`: no
 * witness confirms the chain of a good lookup, as the operator accepted.
 */
export function decideSynced(before: typeof noEvidence, look: SyncLookup, options: EvidenceOptions) {
  const { observation, at, clock } = look;
  const bad = (why: SyncReason, notes: readonly string[] = [], evidence = noEvidence) => {
    const proof: Pick<SyncProof, "proved" | "unproved"> = { proved: [], unproved: [] };
    return { evidence, synced: false, good: false, why, notes, isUnwitnessed: false, ...proof };
  };
  const own = judgeObservation(observation, clock);
  // While the node adds a momentum, a lookup counts neither for nor against a sync.
  if (own.says === "close") return bad(own.why, [], before);
  if (observation.kind === "none" || own.says === "no") return bad(own.why);

  const { fault, agrees, witnesses, notes } = judgeWitnesses(observation.info.currentHeight, look, options.tolerance);
  const isUnwitnessed = witnesses.length === 0;
  const reason = fault ?? (isUnwitnessed && !options.isChainUnverified ? unwitnessedReason : undefined);
  const isDoubtful = own.says === "unproved" && !agrees;
  // References at another height than a node with a doubtful momentum show that it is behind, not that they are wrong.
  if (isDoubtful && reason?.kind === "contradicted") return bad(own.why, notes);
  if (reason) return bad(reason, notes);
  if (isDoubtful) return bad(own.why, notes);

  const evidence = { streak: before.streak + 1, since: before.streak === 0 ? at : before.since };
  const synced = evidence.streak >= options.confirmations && at - evidence.since >= options.confirmSpan;
  const { targetHeight: target, currentHeight: height } = observation.info;
  const [noTarget, isOld] = ["whether the node reached its target", "that the newest momentum is fresh"];
  const claims: readonly (readonly [holds: boolean, claim: string, gap: string])[] = [
    [target > 0, `height ${height} reached target ${target}`, `${noTarget}: the node reports no target`],
    [own.says === "synced", "newest momentum is fresh by both clocks", `${isOld} (the clocks differ)`],
    [agrees, "height agrees with the references' median", "height agrees with independent nodes (sync.references)"],
    [!isUnwitnessed, `the chain is confirmed by ${witnesses.join(", ")}`, chainGap],
  ];
  const proved = claims.flatMap(([holds, claim]) => (holds ? [claim] : []));
  const unproved = claims.flatMap(([holds, , gap]) => (holds ? [] : [gap]));
  return { evidence, synced, good: true, why: own.why, notes, isUnwitnessed, proved, unproved };
}

export interface LookupDeps extends Pick<Clock, "now" | "ticks"> {
  /** Reads the independent nodes, and the momentums that are needed to compare them with the node. Never throws. */
  readWitnesses(newest: Momentum | undefined): Promise<WitnessAnswers>;
  /** Returns the required versions that the node lacks at a height. Never throws. */
  readVersionGaps(height: number): Promise<readonly VersionGap[]>;
  /** A required version that the node is known to lack. */
  readonly gap?: VersionGap | undefined;
}

/**
 * Decides on an observation: asks other nodes if the node says that it is synced, and before a proof for the versions
 * that it lacks. Such a gap keeps the count of good lookups: an upgrade may come at any time.
 */
export async function decideLookup(
  observation: Observation,
  evidence: typeof noEvidence,
  options: EvidenceOptions,
  deps: LookupDeps,
): Promise<SyncDecision> {
  // Other nodes are worth asking only if the node says that it is synced.
  const isClaimed = observation.kind === "answer" && claimsSynced(observation, deps.now());
  const references = isClaimed ? await deps.readWitnesses(observation.newest) : { readings: [] };
  const look = { observation, ...references, at: deps.ticks(), clock: deps.now() };
  const decision = decideSynced(evidence, look, options);
  if (observation.kind === "none") return decision;
  const [gap] = decision.synced ? await deps.readVersionGaps(observation.info.currentHeight) : [deps.gap];
  if (gap === undefined) return decision;
  return { ...decision, synced: false, good: false, why: { kind: "oldVersion", text: formatVersionFault(gap), gap } };
}
