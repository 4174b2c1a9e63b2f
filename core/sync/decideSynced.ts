import { freshMomentum } from "../chain/freshMomentum";
import type { Observation } from "../chain/node";
import type { VersionGap } from "../chain/requiredVersions";
import type { SyncProof } from "../eventLog/events";
import type { ChainSources } from "./chainSources";
import { judgeLook, type SyncReason } from "./judgeLook";
import { compareReferences, type ReferenceAgreement, type ReferenceNote, type ReferencesSeen } from "./references";

export interface EvidenceOptions extends Omit<ChainSources, "references"> {
  /** Good looks in a row. */
  readonly confirmations: number;
  /** Milliseconds that they must span. */
  readonly confirmSpan: number;
}

/** One look: at the node, and at the references while the node says that it is synced. */
export interface SyncLook extends ReferencesSeen {
  readonly observation: Observation;
  /** Milliseconds of a clock that never jumps. */
  readonly at: number;
  /** Unix milliseconds of this machine. */
  readonly clock: number;
}

/** What the looks so far amount to. */
export interface Evidence {
  /** Good looks in a row. */
  readonly streak: number;
  /** `at` of the first of them. */
  readonly since: number;
  /** The target at the last of them, and when it last moved on: a stale target stands still, or leaps. */
  readonly target: number;
  readonly movedAt?: number | undefined;
  /** How often it did. */
  readonly moves: number;
  /** Since when references contradict a node with a fresh momentum. */
  readonly contradictedSince?: number | undefined;
  readonly lastAt?: number | undefined;
  readonly lastClock?: number | undefined;
}

export const noEvidence: Evidence = { streak: 0, since: 0, target: 0, moves: 0 };

/** The verdict after a look. */
export interface SyncDecision extends Pick<SyncProof, "proved" | "unproved"> {
  readonly evidence: Evidence;
  readonly synced: boolean;
  /** This look alone speaks for it. */
  readonly good: boolean;
  readonly why: SyncReason;
  /** What is odd about the references. */
  readonly notes: readonly ReferenceNote[];
}

/** How long references that contradict a fresh momentum are believed, in milliseconds: they may lie for ever. */
export const contradictionLimit = 10 * 60_000;
/** A clock that moves so much more or less than the other, in milliseconds, jumped. */
const jump = 60_000;
/** A slot in milliseconds, so the network adds no momentum sooner; a target may show so many more at once. */
const momentumTime = 10_000;
const burst = 2;
/** So many moves at that pace are no accident. */
const movesWanted = 3;
/** The line that status and check show each time for a risk that the operator took. */
export const chainRisk = "not verified: sync.unverifiedChain is acknowledged, no witness of the chain is wanted";
/** The claim that stays unproved while no witness confirms the chain. */
export const chainGap = "which chain the node is on: no reference and no old host confirms a momentum of it";

/**
 * Adds a look to the evidence. The node's own word must be good (see judgeLook), and something that a stale target
 * can't fake must stand behind it: a fresh newest momentum, by the node's clock and by this machine's; or the median
 * of the references; or, where neither can be had, a target that moves on and is kept up with. Whatever is fresh says
 * nothing of the chain: that is confirmed by a witness, and a node on another chain than the witnesses never passes.
 */
export function decideSynced(before: Evidence, look: SyncLook, options: EvidenceOptions): SyncDecision {
  const { observation, at, clock } = look;
  const bad = (why: SyncReason, notes: readonly ReferenceNote[] = [], contradictedSince?: number): SyncDecision => ({
    evidence: { ...noEvidence, lastAt: at, lastClock: clock, contradictedSince },
    synced: false,
    good: false,
    why,
    notes,
    proved: [],
    unproved: [],
  });

  const own = judgeLook(observation, clock);
  if (observation.kind === "none" || own.says === "no") return bad(own.why, [], before.contradictedSince);
  if (own.says === "close") {
    // Neither for it nor against it, for the moment that a momentum takes to be taken in.
    if (before.streak === 0 || at - (before.lastAt ?? at) > momentumTime)
      return bad(own.why, [], before.contradictedSince);
    return { evidence: before, synced: false, good: true, why: own.why, notes: [], proved: [], unproved: [] };
  }
  const { info, newest, nodeTime } = observation;
  const compared = compareReferences(info.currentHeight, look, options.tolerance);
  const { verdict, median, notes, witnesses } = compared;
  const chainFault = findChainFault(compared, options);
  if (chainFault) return bad(chainFault, notes, before.contradictedSince);
  const isOneClock = Math.abs(nodeTime - clock) <= freshMomentum;
  const fresh = newest !== undefined && isOneClock && Math.abs(clock - newest.timestamp) <= freshMomentum;

  const contradictedSince = verdict === "disagrees" ? (before.contradictedSince ?? at) : undefined;
  if (contradictedSince !== undefined && !(fresh && at - contradictedSince >= contradictionLimit))
    return bad({ kind: "contradicted", height: info.currentHeight, median }, notes, contradictedSince);
  if (own.says === "unproved" && verdict !== "agrees") return bad(own.why, notes);

  const strong = fresh || verdict === "agrees";
  const evidence = { ...extendStreak(before, look, info.targetHeight, strong), contradictedSince };
  const enough = evidence.streak >= options.confirmations && at - evidence.since >= options.confirmSpan;
  const moves =
    evidence.moves >= movesWanted && evidence.movedAt !== undefined && at - evidence.movedAt <= freshMomentum;
  const synced = enough && (strong || moves);
  const bornOut: SyncReason = own.says === "unproved" ? { kind: "bornOut" } : own.why;
  const why: SyncReason = enough && !synced ? { kind: "targetStands" } : bornOut;
  const claims = formatClaims(observation, fresh, verdict === "agrees", witnesses);
  const those = (wanted: boolean) => claims.filter(([holds]) => holds === wanted).map(([, text]) => text);
  return { evidence, synced, good: true, why, notes, proved: those(true), unproved: those(false) };
}

/** Returns why a node is not known to be on the witnesses' chain. A fork goes on by itself: nothing outweighs this. */
function findChainFault(
  { fork, unsaid, witnesses }: ReferenceAgreement,
  { isChainUnverified }: EvidenceOptions,
): SyncReason | undefined {
  if (fork) return { kind: "otherChain", ...fork };
  if (unsaid !== undefined) return { kind: "chainUntold", height: unsaid };
  return witnesses.length === 0 && !isChainUnverified ? { kind: "unwitnessed" } : undefined;
}

/** Adds a good look to the streak, or begins a new streak after a jump of a clock or of a target that nothing confirms. */
function extendStreak(before: Evidence, { at, clock }: SyncLook, target: number, isConfirmed: boolean): Evidence {
  const { lastAt, lastClock } = before;
  const jumped = lastAt !== undefined && lastClock !== undefined && Math.abs(clock - lastClock - (at - lastAt)) > jump;
  // A stale target that is renewed and caught up with between two looks leaps; the network's own moves at its pace.
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

/** Takes the proof from a node that lacks a required version. The good looks stay: it may be upgraded at any time. */
export function refuseOldVersion(weighed: SyncDecision, [gap]: readonly VersionGap[]): SyncDecision {
  return gap === undefined ? weighed : { ...weighed, synced: false, good: false, why: { kind: "oldVersion", gap } };
}

/** Formats what counts for a sync, each with whether it holds. */
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
      target > 0 ? `height ${height} reached target ${target}` : "a target to reach: the node names none",
    ],
    [
      fresh,
      fresh
        ? "newest momentum is fresh by both clocks"
        : `newest momentum is fresh (${newest ? "the clocks differ" : "the node does not tell it"})`,
    ],
    [
      agrees,
      agrees ? "height agrees with the references' median" : "height agrees with independent nodes (sync.references)",
    ],
    [witnesses.length > 0, witnesses.length > 0 ? `the chain is confirmed by ${witnesses.join(", ")}` : chainGap],
  ];
}
