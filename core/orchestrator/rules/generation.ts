import type { MoveLeg } from "../../eventLog/events.ts";
import { isSameMove, isSameOwner, type MoveId } from "../../eventLog/moveId.ts";
import {
  assignRoles,
  belongsToPair,
  belongsToSaga,
  bothSides,
  type HostStates,
  isSource,
  type Journal,
  type Saga,
  showsFencedSource,
  type WhichHost,
} from "./journal.ts";
import { lookUpStage } from "./journalStages.ts";
import { decideMove, type MoveDecision, type MoveStep, type Obstacle, type RunMemory } from "./moveSteps.ts";

/** The newest moves of this orchestrator between any hosts, by the event log and the stack's state. */
export interface MoveHistory {
  readonly generation: number;
  readonly move?: MoveId | undefined;
  /** The highest generation whose target was started, or was about to be. */
  readonly started: number;
  /** Fingerprint of the ssh key of the host on which that start was; undefined if the event log lacks it. */
  readonly startedOn?: string | undefined;
  /** Fingerprint of the host that this start was to leave; undefined once its end is logged. */
  readonly startedFrom?: string | undefined;
  /** Move of this start. */
  readonly startedBy?: MoveId | undefined;
  /** The confirmations for the wanted move, by the event log, until its end is logged. */
  readonly confirmed?: readonly string[] | undefined;
}

/** A saga as the configuration asks for it; `isRestore`: the configuration has a backup. */
export interface Wanted extends Saga {
  readonly known?: MoveHistory;
  /** Number of the last move before the operator brought the orchestrator here by hand, if the operator says so. */
  readonly laterThan?: number | undefined;
  /** True if the operator says that no move ever began. */
  readonly isFirst?: boolean | undefined;
  /** Fingerprints of the hosts' ssh keys. */
  readonly hosts?: Readonly<Record<WhichHost, string>>;
}

/** Lists why nothing shows where the orchestrator is. */
export type UnknownHistory = "log behind" | "first move" | "strange number";

/** More moves than a lost event log had. A greater number in a journal is somebody's who wants the numbers used up. */
const mostUnknownMoves = 1000;

/** Steps that lead to no start of the target. */
const startsNothing: readonly MoveStep[] = ["close", "seal", "restore"];

const numberOf = (journal: Journal | undefined): number => journal?.generation ?? 0;

/**
 * Ignores a journal that is older than the other host's, as after a restored snapshot. The target writes a saga's
 * begin first, and gets no further than the copy until the source has written the begin, too. So only a disk that was
 * set back lacks the generation, and a copy or running orchestrator on that disk is as old.
 */
function dropOlderJournal(states: HostStates, wanted: Saga): HostStates {
  const [fresh, old] = bothSides.map((side) => states[side]?.journal);
  if (!old || !fresh || !belongsToPair("old", old, wanted) || !belongsToPair("new", fresh, wanted)) return states;
  if (old.generation === fresh.generation) return states;
  const [later, earlier] = old.generation > fresh.generation ? [old, fresh] : [fresh, old];
  const isSameSaga = isSameMove(later.move, earlier.move) && later.direction === earlier.direction;
  if (!isSource(later.side, later) && (isSameSaga || !showsFencedSource(later))) return states;
  return dropJournal(states, earlier.side);
}

function dropJournal(states: HostStates, side: WhichHost): HostStates {
  const look = states[side];
  return look ? { ...states, [side]: { ...look, journal: undefined } } : states;
}

/** Ignores the new host's journal if its orchestrator moved to the host that is lost now: a restore brings it back. */
function dropJournalOfLost(states: HostStates, { hosts }: Wanted): HostStates {
  const { stage, target } = states.new?.journal ?? {};
  const isBack = stage === "moved" && target === hosts?.old;
  return isBack ? dropJournal(states, "new") : states;
}

/** Returns the number of `laterThanMove` if a refusal can have named it, else 0: a greater one would count for later moves. */
export function boundLaterThan(laterThan = 0, { generation }: Pick<MoveHistory, "generation">, highest = 0): number {
  return laterThan <= Math.max(1, generation, highest) ? laterThan : 0;
}

/**
 * Returns why the orchestrator may be at work on a third host, or undefined. A host without a journal knows no move;
 * an event log with fewer moves than a host's journal is incomplete.
 */
export function checkMoveHistory(
  { known, isFirst, hosts, ...saga }: Wanted,
  states: HostStates,
  step: MoveStep = "bulk",
): Extract<Obstacle, UnknownHistory | "later start"> | undefined {
  if (known === undefined) return undefined;
  const highest = findHighestGeneration(states);
  if (highest > known.generation + mostUnknownMoves) return "strange number";
  const laterThan = boundLaterThan(saga.laterThan, known, highest);
  if (highest > Math.max(known.generation, laterThan)) return "log behind";
  if (!beginsSaga(step)) return undefined;
  if (Math.max(known.generation, highest) === 0) return isFirst ? undefined : "first move";
  // A lost host can show no journal: the last start must be logged for it, or for the host that the backup goes to.
  // Without its end, the host that it was to leave may have the orchestrator.
  const isHere = known.startedOn !== undefined && [known.startedOn, known.startedFrom].every((key) => isOf(key, hosts));
  if (step === "unpack" && isHere) return undefined;
  const source = numberOf(states[assignRoles(saga).source]?.journal);
  return Math.max(source, findCopied(states, saga, hosts), laterThan) < known.started ? "later start" : undefined;
}

/** True if the key of a host of a start, if it is known, is that of one of these hosts. */
const isOf = (key: string | undefined, hosts: Wanted["hosts"]) =>
  key === undefined || Object.values(hosts ?? {}).includes(key);

/**
 * Returns the move of the last start, if its end is not logged, and it is another attempt of a move. A restore belongs to
 * it: beside a later attempt, a source that has fenced itself and comes back could neither go on nor back.
 */
export function findOpenAttempt({ startedFrom, startedBy }: MoveHistory, move: MoveId): MoveId | undefined {
  const isOther =
    startedFrom !== undefined && startedBy && isSameOwner(startedBy, move) && !isSameMove(startedBy, move);
  return isOther ? startedBy : undefined;
}

/** True if a step begins a saga, which gets its generation then. */
const beginsSaga = (step: MoveStep) => step === "bulk" || step === "unpack";

/** Returns the event to log before a step, because a host whose disk is set back later forgets begin and start. */
export function decideEvent(step: MoveStep, { generation = 0, isRestore }: Saga, known: MoveHistory | undefined) {
  if (beginsSaga(step)) return "begun";
  // A restore stops nothing, and its start may still be refused.
  if (startsNothing.includes(step) || (isRestore && step === "arrive")) return undefined;
  return generation <= (known?.started ?? 0) ? undefined : "starting";
}

/** Returns a saga as the event log has it. */
export function createLeg({ direction, generation = 0, isRestore }: Saga, hosts: Wanted["hosts"]): MoveLeg {
  const { source, target } = assignRoles({ direction });
  const leg = { direction, generation, source: hosts?.[source] ?? "", target: hosts?.[target] ?? "" };
  return isRestore ? { ...leg, isRestore } : leg;
}

/** Adds an event of a move to the history. An end has the generation of its start. */
export function applyEvent(
  known: MoveHistory,
  event: "begun" | "starting" | "done" | "rolledBack",
  move: MoveId,
  { generation, isRestore, source, target }: Pick<MoveLeg, "generation"> & Partial<MoveLeg>,
): MoveHistory {
  const isBegin = event === "begun";
  // A restore that has begun stops no other stack's move, and its fence may end.
  const isNewest = generation >= known.generation && !(isRestore && isBegin);
  const next = { ...known, ...(isNewest && { move }), generation: Math.max(known.generation, generation) };
  // An end that the log has without its start names no host.
  if (!isBegin && generation > known.started)
    return { ...next, started: generation, startedOn: target, startedFrom: source, startedBy: move };
  const isEnd = !isBegin && event !== "starting" && generation === known.started;
  return isEnd ? { ...next, startedFrom: undefined } : next;
}

/** Returns the generation of a saga by its journals; undefined if none is left. */
function findGeneration(saga: Saga, states: HostStates): number | undefined {
  const { source } = assignRoles(saga);
  const numbers = bothSides.flatMap((side) => {
    const journal = states[side]?.journal;
    // With its source restored a saga has ended: the same direction once more is another saga.
    const isEnded = side === source && journal?.stage === "restored";
    return journal && belongsToSaga(side, journal, saga) && !isEnded ? [journal.generation] : [];
  });
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/** Decides the next step by {@link decideMove} and by the generations in event log and journals. */
export function decideNext(wanted: Wanted, states: HostStates, memory: RunMemory): MoveDecision {
  const isFenced = memory.isFenced && wanted.direction === "forward";
  const currentStates = dropOlderJournal(isFenced ? dropJournalOfLost(states, wanted) : states, wanted);
  const decision = decideMove(wanted, currentStates, { ...memory, isFenced });
  if (decision.do === "stop here") return decision;
  if (decision.do === "done") return findLaterHolder(decision, states, wanted) ?? decision;
  const { move, direction } = decision.saga;
  const highest = Math.max(wanted.known?.generation ?? 0, findHighestGeneration(states));
  const begun = beginsSaga(decision.do) ? undefined : findGeneration(decision.saga, currentStates);
  // The checks and the backup before an ordinary move are left out while the configuration has a backup to restore.
  if (decision.do === "bulk" && wanted.isRestore)
    return { do: "stop here", saga: decision.saga, why: "lost source answers" };
  const isUnpacked = currentStates[assignRoles(decision.saga).target]?.journal?.isRestore === true;
  const isRestore = decision.do === "unpack" || (isUnpacked && /^(arrive|start|seal)$/.test(decision.do));
  const saga = { move, direction, generation: begun ?? highest + 1, isRestore };
  return findObstacle(decision.do, saga, states, wanted) ?? { do: decision.do, saga };
}

/** Stops if the event log has a later start on another host, as after a restore while the holder was lost. */
function findLaterHolder(
  { holder, why }: Extract<MoveDecision, { do: "done" }>,
  states: HostStates,
  { known, hosts, ...wanted }: Wanted,
): MoveDecision | undefined {
  if (why !== "moved" || known?.startedOn === undefined || known.startedOn === hosts?.[holder]) return undefined;
  if (known.started <= numberOf(states[holder]?.journal)) return undefined;
  const saga = { move: known.move ?? wanted.move, direction: wanted.direction, generation: known.started };
  return { do: "stop here", saga, why: "later move" };
}

/** Returns an obstacle to a step: its script would refuse, or the event log shows it. */
function findObstacle(step: MoveStep, saga: Required<Omit<Saga, "isRestore">>, states: HostStates, wanted: Wanted) {
  const { known, hosts } = wanted;
  const stop = (why: Obstacle, of: Saga): MoveDecision => ({ do: "stop here", saga: of, why });
  for (const side of bothSides) {
    const journal = states[side]?.journal;
    if (journal === undefined || numberOf(journal) < saga.generation) continue;
    const isSameSaga = isSameMove(journal.move, saga.move) && journal.direction === saga.direction;
    // A saga in the other direction that got no further than the copy is no obstacle.
    if (!isSameSaga && belongsToPair(side, journal, saga) && lookUpStage(journal.stage).copy === "part") continue;
    if (numberOf(journal) > saga.generation || !isSameSaga)
      return stop(isSameOwner(journal.move, saga.move) ? "later move" : "another move", journal);
    if (isSameSaga && !isPair(journal, hosts)) return stop("other hosts", saga);
  }
  if (known === undefined || step === "close") return undefined;
  const why = checkMoveHistory({ ...wanted, ...saga }, states, step);
  const generation = why === "log behind" ? findHighestGeneration(states) : known.started;
  if (why) return stop(why, { ...saga, generation, move: (why === "later start" && known.move) || saga.move });
  const open = step === "unpack" ? findOpenAttempt(known, saga.move) : undefined;
  if (open) return stop("other attempt", { ...saga, move: open });
  const isForeign = known.move !== undefined && !isSameOwner(known.move, saga.move);
  // An unreachable source can't show, by lock or journal, that it moved the orchestrator to a third host.
  const isElsewhere =
    states[assignRoles(saga).source] === undefined &&
    hosts !== undefined &&
    known.started > boundLaterThan(wanted.laterThan, known, findHighestGeneration(states)) &&
    !isOf(known.startedOn, hosts);
  const isPast =
    isElsewhere ||
    Math.max(saga.generation, findCopied(states, saga, hosts)) < known.started ||
    (isForeign && saga.generation < known.generation);
  return isPast ? stop("later move", { ...saga, move: known.move ?? saga.move }) : undefined;
}

/** Returns the highest generation of a journal whose saga stopped no orchestrator, and started none. */
function findCopied(states: HostStates, saga: Saga, hosts: Wanted["hosts"]): number {
  const copied = bothSides.map((side) => {
    const journal = states[side]?.journal;
    const isUnstarted = journal?.stage === "staging" || (journal?.stage === "abandoned" && journal.isRestore);
    const isCopy = journal && isUnstarted && belongsToPair(side, journal, saga) && isPair(journal, hosts);
    return isCopy ? journal.generation : 0;
  });
  return Math.max(...copied);
}

export function findHighestGeneration(states: HostStates): number {
  return Math.max(...bothSides.map((side) => numberOf(states[side]?.journal)));
}

function isPair({ source, target, ...saga }: Journal, hosts: Wanted["hosts"]): boolean {
  if (hosts === undefined) return true;
  const roles = assignRoles(saga);
  return source === hosts[roles.source] && target === hosts[roles.target];
}
