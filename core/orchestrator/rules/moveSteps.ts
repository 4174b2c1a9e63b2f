import { isSameMove, isSameOwner } from "../../eventLog/moveId.ts";
import {
  assignRoles,
  belongsToPair,
  belongsToSaga,
  bothSides,
  type HostStates,
  type Journal,
  type Saga,
  showsFencedSource,
  type WhichHost,
} from "./journal.ts";
import { lookUpStage } from "./journalStages.ts";

/** Steps that this run has done. A step that only an earlier run may have done is repeated. */
export interface RunMemory {
  readonly bulkCopied: boolean;
  /** True once this run stopped the source. */
  readonly stopped: boolean;
  readonly backedUp: boolean;
  /** True once a step failed: the run rolls back from then on. */
  readonly failed: boolean;
  /** True if the old host does not answer, and is lost and fenced now: a backup may take its place (docs/restore.md). */
  readonly isFenced?: boolean;
}

export const freshRun: RunMemory = { bulkCopied: false, stopped: false, backedUp: false, failed: false };

/** Steps in their order; `seal` and `restore` roll back. A restore from a backup does `unpack`, then `start`. */
export type MoveStep =
  | ("unpack" | "bulk" | "stop" | "backup" | "fence" | "copy" | "arrive" | "start" | "close")
  | ("seal" | "restore");

export type MoveDecision =
  | { readonly do: MoveStep; readonly saga: Saga }
  /** Nothing is left to do: the orchestrator is on the wanted host, or stays where it is for a reason. */
  | { readonly do: "done"; readonly holder: WhichHost; readonly why: Why }
  /** Only the operator can remove the obstacle. */
  | { readonly do: "stop here"; readonly saga: Saga; readonly why: Obstacle };

/** `moved on`: another stack's move took the orchestrator from the target to a third host. */
type Why = "moved" | "moved on" | "raise the attempt" | "nothing to roll back" | "undone";

export type Obstacle =
  | ("source unreachable" | "target unreachable" | "target is started" | "target runs unasked" | "source runs unasked")
  | ("lost source is back" | "source does not run" | "two may sign" | "journals disagree" | "other hosts")
  | (
      | "lost source answers"
      | "other attempt"
      | "another move"
      | "later move"
      | "later start"
      | "log behind"
      | "strange number"
      | "first move"
    );

/** Both hosts in their roles in a saga, and their stages in it. */
type SagaView = ReturnType<typeof viewSaga>;

function viewSaga(saga: Saga, states: HostStates) {
  const { source, target } = assignRoles(saga);
  const stage = (side: WhichHost) => {
    const journal = states[side]?.journal;
    return journal && belongsToSaga(side, journal, saga) ? journal.stage : undefined;
  };
  return { source, target, from: states[source], to: states[target], s: stage(source), t: stage(target) };
}

/** True if the target may sign, so no rollback is made without the operator. */
function isTargetStarted({ t }: Pick<SagaView, "t">): boolean {
  return lookUpStage(t).key !== undefined;
}

/** True if the target has the whole copy, and was not started. */
function isCopied({ t }: Pick<SagaView, "t">): boolean {
  return lookUpStage(t).copy === "whole" && !isTargetStarted({ t });
}

/** True if a backup was unpacked, and nothing was started: that ends once the source is seen. */
function isUnpacked({ t, to }: SagaView): boolean {
  return isCopied({ t }) && !showsFencedSource(to?.journal);
}

/** True if a saga has changed something beyond its copy, and has not ended. */
function isOpen({ s, t }: SagaView): boolean {
  if (t === "running") return s === "fenced" || s === "stopping";
  return [s, t].some((stage) => lookUpStage(stage).isOpen);
}

/** Returns the sagas that this stack's journals name, the new host's first. */
function listSagas(states: HostStates, wanted: Saga): Saga[] {
  return bothSides.flatMap((side) => {
    const journal = states[side]?.journal;
    return journal && belongsToPair(side, journal, wanted)
      ? [{ move: journal.move, direction: journal.direction }]
      : [];
  });
}

/** Returns the host that has the orchestrator, by this stack's journals. */
function findHolder(states: HostStates, wanted: Saga): WhichHost {
  const stageAt = (side: WhichHost) => {
    const journal = states[side]?.journal;
    return journal && belongsToPair(side, journal, wanted) ? journal.stage : undefined;
  };
  return lookUpStage(stageAt("new")).key || stageAt("old") === "moved" ? "new" : "old";
}

/**
 * Returns the journal of another stack's move that is at work on one of these hosts, or took the orchestrator from there
 * to a third host. It replaced this stack's journal there, so the journal and copy on the second host are older.
 */
function findForeignJournal(wanted: Saga, states: HostStates): Journal | undefined {
  const { source, target, from, to, t } = viewSaga(wanted, states);
  const isHeld = lookUpStage(from?.journal?.stage).key === "rests";
  if (from?.journal && !belongsToPair(source, from.journal, wanted) && !isHeld && t !== "running") return from.journal;
  if (!to?.journal || belongsToPair(target, to.journal, wanted)) return undefined;
  const { stage, history } = to.journal;
  // The target had the orchestrator in this move or, unless the source has it now, in any move of this stack.
  const wasHere = history.some(
    (past) =>
      past.move &&
      (isHeld ? isSameMove(past.move, wanted.move) : isSameOwner(past.move, wanted.move)) &&
      !(lookUpStage(stage).copy === "part" && lookUpStage(past.stage).copy === "part"),
  );
  return lookUpStage(stage).isOpen || wasHere ? to.journal : undefined;
}

/** Decides what is left to do after another stack's move: nothing, if this stack's move had ended before. */
function decideAfterForeign(wanted: Saga, theirs: Journal, states: HostStates): MoveDecision {
  const { target, from, to, s } = viewSaga(wanted, states);
  const wasHere = theirs.history.some(({ move }) => move && isSameMove(move, wanted.move));
  const isOver = to?.journal === theirs && wasHere && (from === undefined || s === "moved");
  if (!isOver || lookUpStage(theirs.stage).isOpen) return { do: "stop here", saga: theirs, why: "another move" };
  return decideEnd(target, lookUpStage(theirs.stage).key === "rests" ? "moved" : "moved on", wanted, states);
}

/** Decides to end, unless an orchestrator runs where the journals forbid it. */
function decideEnd(holder: WhichHost, why: Why, { move }: Saga, states: HostStates): MoveDecision {
  const running = bothSides.find((side) => states[side]?.active && (side !== holder || why === "moved on"));
  if (running === undefined) return { do: "done", holder, why };
  return { do: "stop here", saga: { move, direction: running === "old" ? "forward" : "back" }, why: "two may sign" };
}

/**
 * Decides the next step of a move from the journals and processes on both hosts; or that it has ended, or that nothing
 * may be touched.
 */
export function decideMove(wanted: Saga, states: HostStates, memory: RunMemory): MoveDecision {
  if (states.new === undefined) {
    const why = wanted.direction === "forward" ? "target unreachable" : "source unreachable";
    return { do: "stop here", saga: wanted, why };
  }
  const foreign = findForeignJournal(wanted, states);
  if (foreign) return decideAfterForeign(wanted, foreign, states);
  const open = listSagas(states, wanted).find((saga) => isOpen(viewSaga(saga, states)));
  const isSame = open && isSameMove(open.move, wanted.move);
  if (!open || (isSame && open.direction === wanted.direction)) return decideBegin(wanted, states, memory);
  // The source may have the orchestrator of another stack, whose target it was.
  const between = findForeignJournal(open, states);
  if (between) return decideAfterForeign(open, between, states);
  const isStarted = isTargetStarted(viewSaga(open, states));
  // If the target may sign, only a rollback may begin; anything else waits until the open move is finished.
  if (isSame && wanted.direction === "back" && isStarted) return decideBegin(wanted, states, memory);
  const rollback = isSame && !isStarted ? decideRollback(open, states, memory) : undefined;
  return rollback ?? decideStep(open, states, memory);
}

function decideBegin(wanted: Saga, states: HostStates, memory: RunMemory): MoveDecision {
  const { target, s, t } = viewSaga(wanted, states);
  const holder = findHolder(states, wanted);
  const hasJournal = s !== undefined || t !== undefined;
  if (wanted.direction === "back" && !hasJournal && holder === "old")
    return decideEnd(holder, "nothing to roll back", wanted, states);
  if (wanted.direction === "forward") {
    if (!hasJournal && holder === "new") return decideEnd(holder, "moved", wanted, states);
    const isRolledBack = listSagas(states, wanted).some(
      ({ move, direction }) => isSameMove(move, wanted.move) && direction === "back",
    );
    if (isRolledBack && !isTargetStarted({ t }))
      return decideEnd(holder, holder === "old" ? "raise the attempt" : "moved", wanted, states);
  }
  if (t === "running" && (s === undefined || s === "moved")) return decideEnd(target, "moved", wanted, states);
  return decideStep(wanted, states, memory);
}

/** Decides the next step from source to target or, after a failed step, of the rollback. */
function decideStep(saga: Saga, states: HostStates, memory: RunMemory): MoveDecision {
  const view = viewSaga(saga, states);
  const { source, from, to, s, t } = view;
  const stop = (why: Obstacle): MoveDecision => ({ do: "stop here", saga, why });
  const step = (name: MoveStep): MoveDecision => ({ do: name, saga });
  if (memory.failed) {
    if (isTargetStarted({ t })) return stop("target is started");
    return decideRollback(saga, states, memory) ?? decideEnd(source, "undone", saga, states);
  }
  if (to === undefined) return stop("target unreachable");
  if (to.active && !isTargetStarted({ t })) return stop("target runs unasked");
  if (lookUpStage(t).copy === "whole") {
    if (isUnpacked(view) && from) return step("seal");
    // Without the source only its own fence counts, or the operator's, also for one that runs: somebody else may have
    // started it after a restore that broke off.
    if (!from && !showsFencedSource(to.journal) && !memory.isFenced) return stop("source unreachable");
    if (from && (from.active || !from.masked))
      return stop(to.journal?.isRestore ? "lost source is back" : "source runs unasked");
    // The target's journal gets the end first. If only the source's has it, the target's disk was set back.
    const isPastEnd = s === "moved" && t !== "running";
    if (lookUpStage(s).mayRun || isPastEnd) return stop("journals disagree");
    if (t === "running") return step("close");
    return step(t === "staged" ? "arrive" : "start");
  }
  if (from === undefined) return memory.isFenced ? step("unpack") : stop("source unreachable");
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
function decideRollback(saga: Saga, states: HostStates, { isFenced }: RunMemory): MoveDecision | undefined {
  const view = viewSaga(saga, states);
  const { from, to, s, t } = view;
  const stop = (why: Obstacle): MoveDecision => ({ do: "stop here", saga, why });
  if (isUnpacked(view)) return { do: "seal", saga };
  if (from === undefined) return isFenced ? undefined : stop("source unreachable");
  if (to === undefined) return stop("target unreachable");
  // A source without a journal stopped nothing, so nothing is undone: its disk was set back, or it was lost.
  const isOnlyCopied = s === undefined && !isCopied(view);
  if (isOnlyCopied || s === "restored") return undefined;
  if (s === "moved") return stop("journals disagree");
  // The source is restored only if the target, as just read, can't start any more.
  if (to.active && t !== "abandoned") return stop("target runs unasked");
  const isSealed = t === "abandoned" && to.masked && !to.active && !to.inPlace;
  return { do: isSealed ? "restore" : "seal", saga };
}
