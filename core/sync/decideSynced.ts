import type { Observation } from "../chain/node";
import { freshMomentumMs, type SourceNote } from "../chain/reading";
import { formatVersionGap, installLines, type VersionGap } from "../chain/requiredVersions";
import type { SyncProof } from "../eventLog/events";
import type { ChainSources } from "./chainSources";
import { judgeObservation, type SyncReason } from "./judgeObservation";
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
  /** Good lookups in a row. */
  readonly streak: number;
  /** `at` of the first good lookup. */
  readonly since: number;
  /** Target at the last good lookup. `movedAt`: its last advance at the network's pace; a stale target stays or jumps. */
  readonly target: number;
  readonly movedAt?: number | undefined;
  readonly moves: number;
  /** `at` of the lookup since which references contradict the node. */
  readonly contradictedSince?: number | undefined;
  readonly lastAt?: number | undefined;
  readonly lastClock?: number | undefined;
}

export const noEvidence: Evidence = { streak: 0, since: 0, target: 0, moves: 0 };

export interface SyncDecision extends Pick<SyncProof, "proved" | "unproved"> {
  readonly evidence: Evidence;
  readonly synced: boolean;
  /** True if this lookup alone speaks for a synced node. */
  readonly good: boolean;
  readonly why: SyncReason;
  readonly notes: readonly SourceNote[];
}

/** Milliseconds after which a fresh momentum outweighs references, which could otherwise block the gate for ever. */
export const contradictionLimit = 10 * 60_000;
/** Milliseconds by which two clocks may drift apart between lookups. */
const jump = 60_000;
/** Milliseconds of a slot, and the extra momentums that a target may gain at once. */
const momentumTime = 10_000;
const burst = 2;
const movesWanted = 3;
/** The line that status and check print every time if the operator accepted the risk. */
export const chainRisk = "not verified: sync.unverifiedChain is set, so no witness is asked about the chain";
export const chainGap = "which chain the node is on: no reference and no old host confirms a momentum of it";

/**
 * Adds a lookup to the evidence and decides whether the node is synced. The node's own answer must be good (judgeObservation),
 * and evidence that a stale target can't fake must support it: a fresh newest momentum by both clocks, the references'
 * median, or else a target that advances and that the node keeps up with. None of these proves that the chain is the
 * right one: a witness must confirm the chain, and a node on another chain never passes.
 */
export function decideSynced(before: Evidence, look: SyncLookup, options: EvidenceOptions): SyncDecision {
  const { observation, at, clock } = look;
  const bad = (why: SyncReason, notes: readonly SourceNote[] = [], contradictedSince?: number): SyncDecision => ({
    evidence: { ...noEvidence, lastAt: at, lastClock: clock, contradictedSince },
    synced: false,
    good: false,
    why,
    notes,
    proved: [],
    unproved: [],
  });

  const own = judgeObservation(observation, clock);
  if (observation.kind === "none" || own.says === "no") return bad(own.why, [], before.contradictedSince);
  if (own.says === "close") {
    // The node is adding a momentum. For as long as that takes, the lookup counts neither for nor against a sync.
    if (before.streak === 0 || at - (before.lastAt ?? at) > momentumTime)
      return bad(own.why, [], before.contradictedSince);
    return { evidence: before, synced: false, good: true, why: own.why, notes: [], proved: [], unproved: [] };
  }
  const { info, newest, nodeTime } = observation;
  const compared = compareReferences(info.currentHeight, look, options.tolerance);
  const { verdict, median, notes, witnesses } = compared;
  const isWitnessed = witnesses.length > 0 || options.isChainUnverified;
  const chainFault = compared.chainFault ?? (isWitnessed ? undefined : unwitnessedReason);
  if (chainFault) return bad(chainFault, notes, before.contradictedSince);
  const isOneClock = Math.abs(nodeTime - clock) <= freshMomentumMs;
  const fresh = newest !== undefined && isOneClock && Math.abs(clock - newest.timestamp) <= freshMomentumMs;

  const contradictedSince = verdict === "disagrees" ? (before.contradictedSince ?? at) : undefined;
  if (contradictedSince !== undefined && !(fresh && at - contradictedSince >= contradictionLimit))
    return bad(
      {
        kind: "contradicted",
        text: `the node says synced at ${info.currentHeight}, the references are at ${median}`,
      },
      notes,
      contradictedSince,
    );
  if (own.says === "unproved" && verdict !== "agrees") return bad(own.why, notes);

  const strong = fresh || verdict === "agrees";
  const evidence = { ...extendStreak(before, look, info.targetHeight, strong), contradictedSince };
  const enough = evidence.streak >= options.confirmations && at - evidence.since >= options.confirmSpan;
  const moves =
    evidence.moves >= movesWanted && evidence.movedAt !== undefined && at - evidence.movedAt <= freshMomentumMs;
  const synced = enough && (strong || moves);
  const bornOut = own.says === "unproved" ? confirmedReason : own.why;
  const why = enough && !synced ? targetReason : bornOut;
  const claims = formatClaims(observation, fresh, verdict === "agrees", witnesses);
  const those = (wanted: boolean) => claims.filter(([holds]) => holds === wanted).map(([, text]) => text);
  return { evidence, synced, good: true, why, notes, proved: those(true), unproved: those(false) };
}

const unwitnessedReason: SyncReason = {
  kind: "unwitnessed",
  text: "the node says synced, and no witness confirms its chain yet (a reference or the old host)",
};
const confirmedReason: SyncReason = { kind: "bornOut", text: "the node says synced, and the references confirm it" };
const targetReason: SyncReason = {
  kind: "targetStands",
  text: "the node says synced; waiting for its target to advance, because nothing else proves it",
};

/** Adds a good lookup to the streak, or starts a new one after a jump of a clock or of an unconfirmed target. */
function extendStreak(before: Evidence, { at, clock }: SyncLookup, target: number, isConfirmed: boolean): Evidence {
  const { lastAt, lastClock } = before;
  const jumped = lastAt !== undefined && lastClock !== undefined && Math.abs(clock - lastClock - (at - lastAt)) > jump;
  // A stale target that is renewed between two lookups jumps. The network's own target advances at the network's pace.
  const gained = target - before.target;
  const leaped = gained < 0 || gained > (at - (lastAt ?? at)) / momentumTime + burst;
  const seen = { target, lastAt: at, lastClock: clock };
  if (before.streak === 0 || jumped || (leaped && !isConfirmed)) return { ...seen, streak: 1, since: at, moves: 0 };
  const { streak, since, movedAt, moves } = before;
  const paced = gained > 0 && !leaped;
  return {
    ...seen,
    streak: streak + 1,
    since,
    movedAt: paced ? at : movedAt,
    moves: moves + (paced ? 1 : 0),
  };
}

/**
 * Revokes the proof of a node that lacks a required version. Keeps the count of good lookups: an upgrade may come at any time.
 */
export function refuseOldVersion(weighed: SyncDecision, [gap]: readonly VersionGap[]): SyncDecision {
  if (gap === undefined) return weighed;
  const text = `${formatVersionGap(gap)}: ${installLines(gap)[0]}`;
  return { ...weighed, synced: false, good: false, why: { kind: "oldVersion", text, gap } };
}

function formatClaims(
  { info, newest }: Extract<Observation, { kind: "answer" }>,
  fresh: boolean,
  agrees: boolean,
  witnesses: readonly string[],
): readonly (readonly [boolean, string])[] {
  const { targetHeight: target, currentHeight: height } = info;
  return [
    [
      target > 0 && height >= target,
      target > 0
        ? `height ${height} reached target ${target}`
        : "whether the node reached its target: the node reports no target",
    ],
    [
      fresh,
      fresh
        ? "newest momentum is fresh by both clocks"
        : `that the newest momentum is fresh (${newest ? "the clocks differ" : "the node does not return it"})`,
    ],
    [
      agrees,
      agrees ? "height agrees with the references' median" : "height agrees with independent nodes (sync.references)",
    ],
    [witnesses.length > 0, witnesses.length > 0 ? `the chain is confirmed by ${witnesses.join(", ")}` : chainGap],
  ];
}
