import type { Momentum, Observation } from "../chain/node";
import { formatVersionGap, installLines, type VersionGap } from "../chain/requiredVersions";
import type { SyncProof } from "../eventLog/events";
import type { Clock } from "../util/clock";
import { claimsSynced, judgeObservation, type SyncReason } from "./judgeObservation";
import type { ChainSources } from "./references";
import { compareReferences, type ReferenceAnswers } from "./references";

export interface EvidenceOptions extends Omit<ChainSources, "references"> {
  /** Good lookups in a row that a proof needs. */
  readonly confirmations: number;
  /** Milliseconds that these lookups must span. */
  readonly confirmSpan: number;
}

/** A lookup of the node, and of the references if the node says that it is synced. */
export interface SyncLookup extends ReferenceAnswers {
  readonly observation: Observation;
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  /** Unix milliseconds of this machine's clock. */
  readonly clock: number;
}

export interface Evidence {
  readonly streak: number;
  /** `at` of the first good lookup. */
  readonly since: number;
}

export const noEvidence: Evidence = { streak: 0, since: 0 };

export interface SyncDecision extends Pick<SyncProof, "proved" | "unproved"> {
  readonly evidence: Evidence;
  readonly synced: boolean;
  /** True if this lookup alone speaks for a synced node. */
  readonly good: boolean;
  readonly why: SyncReason;
  readonly notes: readonly string[];
}

/** The line that status and check print every time if the operator accepted the risk. */
export const chainRisk = "not verified: sync.unverifiedChain is set, so no witness is asked about the chain";
export const chainGap = "which chain the node is on: no reference and no old host confirms a momentum of it";

const unwitnessedReason: SyncReason = {
  kind: "unwitnessed",
  text: "the node says synced, and no witness confirms its chain yet (a reference or the old host)",
};

/**
 * Adds a lookup to the evidence and decides whether the node is synced. The node's own answer must be good
 * (judgeObservation), references that agree with each other must not contradict its height, and a witness must confirm
 * its chain: a fork has fresh momentums, too.
 */
export function decideSynced(before: Evidence, look: SyncLookup, options: EvidenceOptions): SyncDecision {
  const { observation, at, clock } = look;
  const bad = (why: SyncReason, notes: readonly string[] = [], evidence = noEvidence): SyncDecision => ({
    evidence,
    synced: false,
    good: false,
    why,
    notes,
    proved: [],
    unproved: [],
  });
  const own = judgeObservation(observation, clock);
  // While the node adds a momentum, a lookup counts neither for nor against a sync.
  if (own.says === "close") return bad(own.why, [], before);
  if (observation.kind === "none" || own.says === "no") return bad(own.why);

  const { fault, agrees, witnesses, notes } = compareReferences(
    observation.info.currentHeight,
    look,
    options.tolerance,
  );
  const isWitnessed = witnesses.length > 0 || options.isChainUnverified === true;
  const reason = fault ?? (isWitnessed ? undefined : unwitnessedReason);
  const isDoubtful = own.says === "unproved" && !agrees;
  // References at another height than a node with a doubtful momentum show that it is behind, not that they are wrong.
  if (isDoubtful && reason?.kind === "contradicted") return bad(own.why, notes);
  if (reason) return bad(reason, notes);
  if (isDoubtful) return bad(own.why, notes);

  const evidence = { streak: before.streak + 1, since: before.streak === 0 ? at : before.since };
  const synced = evidence.streak >= options.confirmations && at - evidence.since >= options.confirmSpan;
  const claims = formatClaims(observation, own.says === "synced", agrees, witnesses);
  const those = (wanted: boolean) => claims.filter(([holds]) => holds === wanted).map(([, text]) => text);
  return { evidence, synced, good: true, why: own.why, notes, proved: those(true), unproved: those(false) };
}

export interface LookupDeps extends Pick<Clock, "now" | "ticks"> {
  /** Reads the independent nodes, and the momentums that are needed to compare them with the node. Never throws. */
  readReferences(newest: Momentum | undefined): Promise<ReferenceAnswers>;
  /** Returns the required versions that the node lacks at a height. Never throws. */
  readVersionGaps(height: number): Promise<readonly VersionGap[]>;
}

/**
 * Decides on an observation: asks other nodes if the node says that it is synced, and before a proof for the versions
 * that it lacks. Such a gap keeps the count of good lookups: an upgrade may come at any time.
 */
export async function decideLookup(
  observation: Observation,
  evidence: Evidence,
  options: EvidenceOptions,
  deps: LookupDeps,
): Promise<SyncDecision> {
  const isClaimed = observation.kind === "answer" && claimsSynced(judgeObservation(observation, deps.now()));
  const references = isClaimed ? await deps.readReferences(observation.newest) : { readings: [] };
  const look = { observation, ...references, at: deps.ticks(), clock: deps.now() };
  const decision = decideSynced(evidence, look, options);
  if (!decision.synced || observation.kind === "none") return decision;
  const [gap] = await deps.readVersionGaps(observation.info.currentHeight);
  if (gap === undefined) return decision;
  const text = `${formatVersionGap(gap)}: ${installLines(gap)[0]}`;
  return { ...decision, synced: false, good: false, why: { kind: "oldVersion", text, gap } };
}

function formatClaims(
  { info: { targetHeight: target, currentHeight: height } }: Extract<Observation, { kind: "answer" }>,
  isFresh: boolean,
  agrees: boolean,
  witnesses: readonly string[],
): readonly (readonly [holds: boolean, claim: string])[] {
  return [
    target > 0
      ? [true, `height ${height} reached target ${target}`]
      : [false, "whether the node reached its target: the node reports no target"],
    isFresh
      ? [true, "newest momentum is fresh by both clocks"]
      : [false, "that the newest momentum is fresh (the clocks differ)"],
    [
      agrees,
      agrees ? "height agrees with the references' median" : "height agrees with independent nodes (sync.references)",
    ],
    witnesses.length > 0 ? [true, `the chain is confirmed by ${witnesses.join(", ")}`] : [false, chainGap],
  ];
}
