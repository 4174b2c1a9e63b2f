import { isSameMove, isSameOwner, type MoveId } from "../../eventLog/moveId";
import { decideMove, type MoveDecision, type MoveStep, type Obstacle, type RunMemory } from "./decide";
import { isSource, type Journal, type Saga, type SideName, sidesOf } from "./journal";
import { isOfThisPair, journalOf, type Looks } from "./sagaLooks";

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
  /** The last move that the operator says the signer is later than, where it is: it came there by their own hand. */
  readonly laterThan?: number | undefined;
  /** The operator says that no move of this signer ever began. */
  readonly isFirst?: boolean | undefined;
  /** Fingerprints of the hosts' keys. */
  readonly hosts?: Readonly<Record<SideName, string>>;
}

const sides = ["old", "new"] as const;
/** Of a target: its source was stopped and fenced before, and wrote so. */
const isCopied: readonly string[] = ["staging", "abandoned"];
const isPastFence: readonly string[] = ["staged", "switched", "starting", "running"];
/** Steps of which no start of the target follows. */
const startsNothing: readonly MoveStep[] = ["close", "seal", "restore"];

/** Ways that other machines may have begun since this one's record was written. */
const mostUnknown = 1000;

const numberOf = (journal: Journal | undefined): number => journal?.generation ?? 0;

/**
 * What a look found without a journal that is of an earlier moment than the other host's: the target writes that a way
 * begins before its source does, and gets no further than the copy before the source has written it too. What such a disk
 * holds was copied, or was at work, before.
 */
export function withoutPast(looks: Looks, wanted: Saga): Looks {
  const [old, fresh] = sides.map((side) => journalOf(looks[side]));
  if (!old || !fresh || !isOfThisPair("old", old, wanted) || !isOfThisPair("new", fresh, wanted)) return looks;
  if (numberOf(old) === numberOf(fresh)) return looks;
  const [later, earlier, side] =
    numberOf(old) > numberOf(fresh) ? ([old, fresh, "new"] as const) : ([fresh, old, "old"] as const);
  const isOneWay = isSameMove(later.move, earlier.move) && later.direction === earlier.direction;
  if (!isSource(later.side, later) && (isOneWay || !isPastFence.includes(later.stage))) return looks;
  const look = looks[side];
  return look === "outOfSight" ? looks : { ...looks, [side]: { ...look, journal: undefined } };
}

/** Generations that journals tell of; 0 for none. */
export interface Heard {
  /** The host that a way is to begin from. */
  readonly source: number;
  /** One of both hosts, where the last way there got no further than the copy: nobody was stopped for it. */
  readonly copied: number;
  /** The highest of any host in sight. */
  readonly highest: number;
}

/**
 * Why the signer may be at work elsewhere, by what record and journals know of each other.
 * A host without a journal has heard of nothing, and a record that is behind a host is not whole.
 */
export function unknownPast(
  { source, copied, highest }: Heard,
  known: Known,
  { laterThan = 0, isFirst }: Pick<Wanted, "laterThan" | "isFirst">,
  isBegin = true,
): Extract<Obstacle, "record behind" | "first move" | "later start"> | undefined {
  if (highest > Math.max(known.generation, laterThan)) return "record behind";
  if (!isBegin) return undefined;
  if (Math.max(known.generation, highest) === 0) return isFirst ? undefined : "first move";
  return Math.max(source, copied, laterThan) < known.started ? "later start" : undefined;
}

/** The line that the record must have before a step: a disk that is set back later forgets that start. */
export function lineBefore(
  step: MoveStep,
  { generation = 0 }: Saga,
  known: Known | undefined,
): "begun" | "starting" | undefined {
  if (step === "bulk") return "begun";
  return startsNothing.includes(step) || generation <= (known?.started ?? 0) ? undefined : "starting";
}

/** Returns what the record knows once it has such a line. */
export function withLine(known: Known, line: "begun" | "starting", { generation = 0, move }: Saga): Known {
  return {
    ...(generation > known.generation ? { generation, move } : known),
    started: line === "starting" ? Math.max(known.started, generation) : known.started,
  };
}

/** The number of a way that has begun; undefined where none of its journals is there any more. */
function generationOf(saga: Saga, looks: Looks): number | undefined {
  const { source } = sidesOf(saga);
  const own = sides.flatMap((side) => {
    const journal = journalOf(looks[side]);
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

/** What is next, by the rules of {@link decideMove} and by the generations that are known. */
export function decideNext(wanted: Wanted, seen: Looks, memory: RunMemory): MoveDecision {
  const looks = withoutPast(seen, wanted);
  const decision = decideMove(wanted, looks, memory);
  if (decision.do === "done" || decision.do === "stop here") return decision;
  const { move, direction } = decision.saga;
  const odd = sides
    .map((side) => journalOf(seen[side]))
    .find((each) => numberOf(each) > (wanted.known?.generation ?? 0) + mostUnknown);
  if (odd) return { do: "stop here", saga: odd, why: "odd generation" };
  const highest = Math.max(wanted.known?.generation ?? 0, highestIn(seen));
  const begun = decision.do === "bulk" ? undefined : generationOf(decision.saga, looks);
  const saga = { move, direction, generation: begun ?? highest + 1 };
  return hindrance(decision.do, saga, seen, wanted) ?? { do: decision.do, saga };
}

/** Why a step of a way is not done, as each script would refuse it on its host, and by what no host in sight tells. */
function hindrance(step: MoveStep, saga: Required<Saga>, looks: Looks, wanted: Wanted) {
  const { known, hosts } = wanted;
  const stop = (why: Obstacle, of: Saga): MoveDecision => ({ do: "stop here", saga: of, why });
  for (const side of sides) {
    const journal = journalOf(looks[side]);
    if (journal === undefined || numberOf(journal) < saga.generation) continue;
    const isIts = isSameMove(journal.move, saga.move) && journal.direction === saga.direction;
    // A way back that went no further than the copy hinders nobody who goes on there.
    if (!isIts && isOfThisPair(side, journal, saga) && isCopied.includes(journal.stage)) continue;
    if (numberOf(journal) > saga.generation || !isIts)
      return stop(isSameOwner(journal.move, saga.move) ? "later move" : "another move", journal);
    if (isIts && !isPair(journal, hosts)) return stop("other hosts", saga);
  }
  if (known === undefined || step === "close") return undefined;
  const heard = heardIn(looks, saga, hosts);
  const why = unknownPast(heard, known, wanted, step === "bulk");
  const generation = why === "record behind" ? highestIn(looks) : known.started;
  if (why) return stop(why, { ...saga, generation, move: (why === "later start" && known.move) || saga.move });
  const isAnothers = known.move !== undefined && !isSameOwner(known.move, saga.move);
  const isPast =
    Math.max(saga.generation, heard.copied) < known.started || (isAnothers && saga.generation < known.generation);
  return isPast ? stop("later move", { ...saga, move: known.move ?? saga.move }) : undefined;
}

function heardIn(looks: Looks, saga: Saga, hosts: Wanted["hosts"]): Heard {
  const copied = sides.map((side) => {
    const journal = journalOf(looks[side]);
    const isCopy = journal?.stage === "staging" && isOfThisPair(side, journal, saga) && isPair(journal, hosts);
    return isCopy ? numberOf(journal) : 0;
  });
  return {
    source: numberOf(journalOf(looks[sidesOf(saga).source])),
    copied: Math.max(...copied),
    highest: highestIn(looks),
  };
}

function highestIn(looks: Looks): number {
  return Math.max(...sides.map((side) => numberOf(journalOf(looks[side]))));
}

function isPair({ source, target, ...saga }: Journal, hosts: Wanted["hosts"]): boolean {
  if (hosts === undefined) return true;
  const roles = sidesOf(saga);
  return source === hosts[roles.source] && target === hosts[roles.target];
}
