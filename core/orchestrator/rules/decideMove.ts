import { isSameMove, isSameOwner } from "../../eventLog/moveId";
import {
  belongsToPair,
  findHolder,
  findStages,
  type HostStates,
  isOpen,
  isTargetStarted,
  listSagas,
} from "./hostStates";
import { assignRoles, type Journal, type Saga, type WhichHost } from "./journal";

/** Steps that this run has done. A step that only an earlier run may have done is repeated. */
export interface RunMemory {
  readonly bulkCopied: boolean;
  /** True once this run stopped the source. */
  readonly stopped: boolean;
  readonly backedUp: boolean;
  /** True once a step failed: the run rolls back from then on. */
  readonly failed: boolean;
}

export const freshRun: RunMemory = { bulkCopied: false, stopped: false, backedUp: false, failed: false };

/** Steps in their order; `seal` and `restore` roll back. A restore from a backup does `unpack`, then `start`. */
export type MoveStep =
  | "unpack"
  | "bulk"
  | "stop"
  | "backup"
  | "fence"
  | "copy"
  | "arrive"
  | "start"
  | "close"
  | "seal"
  | "restore";

export type MoveDecision =
  | { readonly do: MoveStep; readonly saga: Saga }
  /** Nothing is left to do: the orchestrator is on the wanted host, or stays where it is for a reason. */
  | { readonly do: "done"; readonly holder: WhichHost; readonly why: Why }
  /** Only the operator can remove the obstacle. */
  | { readonly do: "stop here"; readonly saga: Saga; readonly why: Obstacle };

/** `moved on`: another stack's move took the orchestrator from the target to a third host. */
type Why = "moved" | "moved on" | "raise the attempt" | "nothing to roll back" | "undone";

export type Obstacle =
  | "new unreachable"
  | "source unreachable"
  | "target unreachable"
  | "target is started"
  | "target runs unasked"
  | "source runs unasked"
  | "source does not run"
  | "two may sign"
  | "journals disagree"
  | "another move"
  | "later move"
  | "later start"
  | "record behind"
  | "first move"
  | "odd generation"
  | "other hosts";

/** Stages of a move that has begun to change the orchestrator on its host, and has not ended. */
const openStages: readonly string[] = ["stopping", "fenced", "restoring", "staged", "switched", "starting"];
/** Stages of a move that has ended on its host. */
const endStages: readonly string[] = ["running", "restored", "moved"];
/** Stages of a move that left at most a copy on its host. */
const copyStages: readonly string[] = ["staging", "abandoned"];

/**
 * Returns the journal of another stack's move that is at work on one of these hosts, or took the orchestrator from there
 * to a third host. It replaced this stack's journal there, so the journal and copy on the second host are older.
 */
function findForeignJournal(wanted: Saga, states: HostStates): Journal | undefined {
  const { source, target } = assignRoles(wanted);
  const [from, to] = [states[source]?.journal, states[target]?.journal];
  const isForeign = (side: WhichHost, journal: Journal) => !belongsToPair(side, journal, wanted);
  const isHeld = from?.stage === "running" || from?.stage === "restored";
  const isRunning = findStages(wanted, states).t === "running";
  if (from && isForeign(source, from) && !isHeld && !isRunning) return from;
  if (!to || !isForeign(target, to)) return undefined;
  // The target had the orchestrator in this move or, unless the source has it now, in any move of this stack.
  const wasHere = to.history.some(
    ({ move, stage }) =>
      move &&
      (isHeld ? isSameMove(move, wanted.move) : isSameOwner(move, wanted.move)) &&
      (endStages.includes(to.stage) || !copyStages.includes(stage)),
  );
  return openStages.includes(to.stage) || wasHere ? to : undefined;
}

/** Decides what is left to do after another stack's move: nothing, if this stack's move had ended before. */
function decideAfterForeign(wanted: Saga, theirs: Journal, states: HostStates): MoveDecision {
  const { source, target } = assignRoles(wanted);
  const isTarget = states[target]?.journal === theirs;
  const isOver = states[source] === undefined || findStages(wanted, states).s === "moved";
  const wasHere = theirs.history.some(({ move }) => move && isSameMove(move, wanted.move));
  if (!isTarget || !isOver || !wasHere || openStages.includes(theirs.stage))
    return { do: "stop here", saga: theirs, why: "another move" };
  const isThere = theirs.stage === "running" || theirs.stage === "restored";
  return decideEnd(target, isThere ? "moved" : "moved on", wanted, states);
}

/** Decides to end, unless an orchestrator runs where the journals forbid it. */
function decideEnd(holder: WhichHost, why: Why, { move }: Saga, states: HostStates): MoveDecision {
  const running = (["old", "new"] as const).find(
    (side) => states[side]?.active && (side !== holder || why === "moved on"),
  );
  if (running === undefined) return { do: "done", holder, why };
  const saga: Saga = { move, direction: running === "old" ? "forward" : "back" };
  return { do: "stop here", saga, why: "two may sign" };
}

/**
 * Decides the next step of a move from the journals and processes on both hosts; or that it has ended, or that nothing
 * may be touched.
 */
export function decideMove(wanted: Saga, states: HostStates, memory: RunMemory): MoveDecision {
  if (states.new === undefined) return { do: "stop here", saga: wanted, why: "new unreachable" };
  const foreign = findForeignJournal(wanted, states);
  if (foreign) return decideAfterForeign(wanted, foreign, states);
  const open = listSagas(states, wanted).find((saga) => isOpen(findStages(saga, states)));
  const isSame = open && isSameMove(open.move, wanted.move);
  if (open && (!isSame || open.direction !== wanted.direction)) {
    // The source may have the orchestrator of another stack, whose target it was.
    const between = findForeignJournal(open, states);
    if (between) return decideAfterForeign(open, between, states);
    const stages = findStages(open, states);
    // If the target may sign, only a rollback may begin; anything else waits until the open move is finished.
    if (isSame && wanted.direction === "back" && isTargetStarted(stages)) return decideBegin(wanted, states, memory);
    if (isSame && !isTargetStarted(stages)) {
      const rollback = decideRollback(open, states);
      if (rollback) return rollback;
    }
    return decideStep(open, states, memory);
  }
  return decideBegin(wanted, states, memory);
}

function decideBegin(wanted: Saga, states: HostStates, memory: RunMemory): MoveDecision {
  const { s, t } = findStages(wanted, states);
  const { target } = assignRoles(wanted);
  const holder = findHolder(states, wanted);
  const hasJournal = s !== undefined || t !== undefined;
  if (wanted.direction === "back" && !hasJournal && holder === "old")
    return decideEnd(holder, "nothing to roll back", wanted, states);
  if (wanted.direction === "forward") {
    if (!hasJournal && holder === "new") return decideEnd(holder, "moved", wanted, states);
    const isRolledBack = listSagas(states, wanted).some(
      ({ move, direction }) => isSameMove(move, wanted.move) && direction === "back",
    );
    if (isRolledBack && !isTargetStarted({ s, t }))
      return decideEnd(holder, holder === "old" ? "raise the attempt" : "moved", wanted, states);
  }
  if (t === "running" && (s === undefined || s === "moved")) return decideEnd(target, "moved", wanted, states);
  return decideStep(wanted, states, memory);
}

/** Decides the next step from source to target or, after a failed step, of the rollback. */
function decideStep(saga: Saga, states: HostStates, memory: RunMemory): MoveDecision {
  const { source, target } = assignRoles(saga);
  const [from, to] = [states[source], states[target]];
  const { s, t } = findStages(saga, states);
  const stop = (why: Obstacle): MoveDecision => ({ do: "stop here", saga, why });
  const step = (name: MoveStep): MoveDecision => ({ do: name, saga });
  if (memory.failed) {
    if (isTargetStarted({ s, t })) return stop("target is started");
    return decideRollback(saga, states) ?? decideEnd(source, "undone", saga, states);
  }
  if (to === undefined) return stop("target unreachable");
  if (to.active && !isTargetStarted({ s, t })) return stop("target runs unasked");
  if (t === "running" || t === "starting" || t === "switched" || t === "staged") {
    // At these stages of the target the source was fenced, so it may be unreachable.
    if (from && (from.active || !from.masked)) return stop("source runs unasked");
    // The target's journal gets the end first. If only the source's has it, the target's disk was set back.
    const isPastEnd = s === "moved" && t !== "running";
    if (s === "stopping" || s === "restoring" || s === "restored" || isPastEnd) return stop("journals disagree");
    if (t === "running") return step("close");
    return step(t === "staged" ? "arrive" : "start");
  }
  if (from === undefined) return stop("source unreachable");
  if (s === "restoring") return step("restore");
  if (s === "moved") return stop("journals disagree");
  if (s === "fenced") return from.active || !from.masked ? stop("source runs unasked") : step("copy");
  if (s === "stopping") {
    if (!memory.stopped || from.active || !from.masked) return step("stop");
    return step(memory.backedUp ? "fence" : "backup");
  }
  // A rollback may begin although the new host's orchestrator, its source, does not run.
  if (!from.active && saga.direction === "forward") return stop("source does not run");
  return step(memory.bulkCopied ? "stop" : "bulk");
}

/** Decides the next step of a rollback before the target was started; undefined if none is left. */
function decideRollback(saga: Saga, states: HostStates): MoveDecision | undefined {
  const { source, target } = assignRoles(saga);
  const [from, to] = [states[source], states[target]];
  const { s, t } = findStages(saga, states);
  if (from === undefined) return { do: "stop here", saga, why: "source unreachable" };
  if (to === undefined) return { do: "stop here", saga, why: "target unreachable" };
  // A source without a journal stopped nothing, so nothing is undone: a lost host came back, or its disk was set back.
  const isOnlyCopied = s === undefined && t !== "staged" && t !== "switched";
  if (isOnlyCopied || s === "restored") return undefined;
  if (s === "moved") return { do: "stop here", saga, why: "journals disagree" };
  // The source is restored only if the target, as just read, can't start any more.
  if (to.active && t !== "abandoned") return { do: "stop here", saga, why: "target runs unasked" };
  if (t !== "abandoned" || !to.masked || to.active || to.inPlace) return { do: "seal", saga };
  return { do: "restore", saga };
}
