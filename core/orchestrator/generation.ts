import { isSameMove, isSameOwner, type MoveId } from "../eventLog/moveId";
import { decideMove, type MoveDecision, type MoveStep, type Obstacle, type RunMemory } from "./decide";
import { isSource, type Journal, type Saga, type SideName, sidesOf } from "./journal";
import { isOfThisPair, type Looks } from "./sagaLooks";

/** What this machine knows of the signer's moves, between whichever hosts: by its record, and by the stack's state. */
export interface Known {
  /** The highest generation, and whose it was. */
  readonly generation: number;
  readonly move?: MoveId | undefined;
  /** The highest of one whose target was started, or was about to be. */
  readonly started: number;
}

/** What a run is to do. */
export interface Wanted extends Saga {
  readonly known?: Known;
  /** The last start that the operator says the signer is later than, where it is: it came there by their own hand. */
  readonly laterThan?: number | undefined;
  /** Fingerprints of the hosts' keys. */
  readonly hosts?: Readonly<Record<SideName, string>>;
}

const sides = ["old", "new"] as const;
/** Of a target: its source was stopped and fenced before, and wrote so. */
const isCopied: readonly string[] = ["staging", "abandoned"];
const isPastFence: readonly string[] = ["staged", "switched", "starting", "running"];

function journalAt(looks: Looks, side: SideName): Journal | undefined {
  const look = looks[side];
  return look === "outOfSight" ? undefined : look.journal;
}

/** Ways that other machines may have begun since this one's record was written. */
const mostUnknown = 1000;

const numberOf = (journal: Journal | undefined): number => journal?.generation ?? 0;

/**
 * What a look found without a journal that is of an earlier moment than the other host's (pure): the target writes that a way
 * begins before its source does, and gets no further than the copy before the source has written it too. What such a disk
 * holds was copied, or was at work, before.
 */
export function withoutPast(looks: Looks, wanted: Saga): Looks {
  const [old, fresh] = sides.map((side) => journalAt(looks, side));
  if (!old || !fresh || !isOfThisPair("old", old, wanted) || !isOfThisPair("new", fresh, wanted)) return looks;
  if (numberOf(old) === numberOf(fresh)) return looks;
  const [later, earlier, side] =
    numberOf(old) > numberOf(fresh) ? ([old, fresh, "new"] as const) : ([fresh, old, "old"] as const);
  const isOneWay = isSameMove(later.move, earlier.move) && later.direction === earlier.direction;
  if (!isSource(later.side, later) && (isOneWay || !isPastFence.includes(later.stage))) return looks;
  const look = looks[side];
  return look === "outOfSight" ? looks : { ...looks, [side]: { ...look, journal: undefined } };
}

/**
 * The last start that is known, where the host that a way is to begin from has not heard of it (pure): its signer is of the
 * past, or came there by hand. One without a journal has heard of nothing.
 */
export function unheardStart(
  heard: number,
  known: Known,
  laterThan: number | undefined,
): { readonly generation: number; readonly move?: MoveId | undefined } | undefined {
  if (heard >= known.started || (laterThan ?? 0) >= known.started) return undefined;
  return { generation: known.started, move: known.move };
}

/** The number of a way that has begun; undefined where none of its journals is there any more (pure). */
function generationOf(saga: Saga, looks: Looks): number | undefined {
  const { source } = sidesOf(saga);
  const own = sides.flatMap((side) => {
    const journal = journalAt(looks, side);
    const isIts =
      journal &&
      isOfThisPair(side, journal, saga) &&
      isSameMove(journal.move, saga.move) &&
      journal.direction === saga.direction;
    // What came back to its source has ended: the same way once more is another one.
    return isIts && !(side === source && journal.stage === "restored") ? [numberOf(journal)] : [];
  });
  return own.length === 0 ? undefined : Math.max(...own);
}

/** What is next, by the rules of {@link decideMove} and by the generations that are known (pure). */
export function decideNext(wanted: Wanted, seen: Looks, memory: RunMemory): MoveDecision {
  const looks = withoutPast(seen, wanted);
  const decision = decideMove(wanted, looks, memory);
  if (decision.do === "done" || decision.do === "stop here") return decision;
  const { move, direction } = decision.saga;
  const odd = sides
    .map((side) => journalAt(seen, side))
    .find((each) => numberOf(each) > (wanted.known?.generation ?? 0) + mostUnknown);
  if (odd) return { do: "stop here", saga: odd, why: "odd generation" };
  const highest = Math.max(wanted.known?.generation ?? 0, ...sides.map((side) => numberOf(journalAt(seen, side))));
  const begun = decision.do === "bulk" ? undefined : generationOf(decision.saga, looks);
  const saga = { move, direction, generation: begun ?? highest + 1 };
  return hindrance(decision.do, saga, seen, wanted) ?? { do: decision.do, saga };
}

/** Why a step of a way is not done, as each script would refuse it on its host, and by what no host in sight tells. */
function hindrance(step: MoveStep, saga: Required<Saga>, looks: Looks, { known, laterThan, hosts }: Wanted) {
  const stop = (why: Obstacle, of: Saga): MoveDecision => ({ do: "stop here", saga: of, why });
  for (const side of sides) {
    const journal = journalAt(looks, side);
    if (journal === undefined || numberOf(journal) < saga.generation) continue;
    const isIts = isSameMove(journal.move, saga.move) && journal.direction === saga.direction;
    // A way back that went no further than the copy hinders nobody who goes on there.
    if (!isIts && isOfThisPair(side, journal, saga) && isCopied.includes(journal.stage)) continue;
    if (numberOf(journal) > saga.generation || !isIts)
      return stop(isSameOwner(journal.move, saga.move) ? "later move" : "another move", journal);
    if (isIts && !isPair(journal, hosts)) return stop("other hosts", saga);
  }
  if (known === undefined || step === "close") return undefined;
  const from = journalAt(looks, sidesOf(saga).source);
  const unheard = step === "bulk" ? unheardStart(numberOf(from), known, laterThan) : undefined;
  if (unheard) return stop("later start", { ...saga, ...unheard, move: unheard.move ?? saga.move });
  const isAnothers = known.move !== undefined && !isSameOwner(known.move, saga.move);
  const isPast = saga.generation < known.started || (isAnothers && saga.generation < known.generation);
  return isPast ? stop("later move", { ...saga, move: known.move ?? saga.move }) : undefined;
}

function isPair({ source, target, ...saga }: Journal, hosts: Wanted["hosts"]): boolean {
  if (hosts === undefined) return true;
  const roles = sidesOf(saga);
  return source === hosts[roles.source] && target === hosts[roles.target];
}
