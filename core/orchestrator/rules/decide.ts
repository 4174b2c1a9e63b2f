import { isSameMove, isSameOwner } from "../../eventLog/moveId";
import { type Journal, type Saga, type SideName, sidesOf } from "./journal";
import { isOfThisPair, isOpen, isPast, journalOf, type Looks, sagasIn, stagesOf, standsAt } from "./sagaLooks";

/** What this run has done so far; what it can't know of earlier runs is done again. */
export interface RunMemory {
  readonly bulkCopied: boolean;
  /** The source was stopped, and its manifest taken, by this run. */
  readonly stopped: boolean;
  readonly backedUp: boolean;
  /** A step that failed: from then on the way is back. */
  readonly failed: boolean;
}

/** Steps, in the order of the way there; then those of the way back. */
export type MoveStep =
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
  /** The signer is where it is wanted, or stays where it is for a reason. */
  | { readonly do: "done"; readonly holder: SideName; readonly why: Why }
  /** Nothing can be done by this program. */
  | { readonly do: "stop here"; readonly saga: Saga; readonly why: Obstacle };

/** `moved on`: another stack's move took the signer from there to a third host. */
export type Why = "moved" | "moved on" | "raise the attempt" | "nothing to roll back" | "undone";

export type Obstacle =
  | "new out of sight"
  | "source out of sight"
  | "target out of sight"
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

/**
 * Stages of a move that has begun to touch the signer of its host, of one that has come to its end there, and of one that
 * left no more than a copy.
 */
const underWay: readonly string[] = ["stopping", "fenced", "restoring", "staged", "switched", "starting"];
const ended: readonly string[] = ["running", "restored", "moved"];
const copied: readonly string[] = ["staging", "abandoned"];

/**
 * The journal of another stack's move that is at work on one of these hosts, or that took the signer on from there
 *. It was written over this stack's: what the other host still says of this stack's move is of a time before it,
 * and its copy of the signer too.
 */
function anothers(wanted: Saga, looks: Looks): Journal | undefined {
  const { source, target } = sidesOf(wanted);
  const [from, to] = [source, target].map((side) => journalOf(looks[side]));
  const isForeign = (side: SideName, journal: Journal) => !isOfThisPair(side, journal, wanted);
  const isHeld = from?.stage === "running" || from?.stage === "restored";
  const isRunning = stagesOf(wanted, looks).t === "running";
  if (from && isForeign(source, from) && !isHeld && !isRunning) return from;
  if (!to || !isForeign(target, to)) return undefined;
  // A host that a signer left long ago may get one anew; one on which this move, or this stack's last one, had it may not.
  const wasHere = to.history.some(
    ({ move, stage }) =>
      move &&
      (isHeld ? isSameMove(move, wanted.move) : isSameOwner(move, wanted.move)) &&
      (ended.includes(to.stage) || !copied.includes(stage)),
  );
  return underWay.includes(to.stage) || wasHere ? to : undefined;
}

/** Where another stack's move took the signer on: nothing is left of a move that came to its end before, and that is all. */
function afterAnother(wanted: Saga, theirs: Journal, looks: Looks): MoveDecision {
  const { source, target } = sidesOf(wanted);
  const isTarget = looks[target] !== "outOfSight" && looks[target].journal === theirs;
  const isOver = looks[source] === "outOfSight" || stagesOf(wanted, looks).s === "moved";
  const wasHere = theirs.history.some(({ move }) => move && isSameMove(move, wanted.move));
  if (!isTarget || !isOver || !wasHere || underWay.includes(theirs.stage))
    return { do: "stop here", saga: theirs, why: "another move" };
  const isThere = theirs.stage === "running" || theirs.stage === "restored";
  return done(target, isThere ? "moved" : "moved on", wanted, looks);
}

/** The end, unless something runs where the journals say that nothing may. */
function done(holder: SideName, why: Why, { move }: Saga, looks: Looks): MoveDecision {
  const runs = (["old", "new"] as const).find((side) => {
    const look = looks[side];
    return look !== "outOfSight" && look.active && (side !== holder || why === "moved on");
  });
  if (runs === undefined) return { do: "done", holder, why };
  const saga: Saga = { move, direction: runs === "old" ? "forward" : "back" };
  return { do: "stop here", saga, why: "two may sign" };
}

/**
 * What is next. Every rule of the cutover stands here: which step may follow which evidence, when the way back
 * is open and when it is closed for ever, and when nothing may be touched.
 */
export function decideMove(wanted: Saga, looks: Looks, memory: RunMemory): MoveDecision {
  if (looks.new === "outOfSight") return { do: "stop here", saga: wanted, why: "new out of sight" };
  const theirs = anothers(wanted, looks);
  if (theirs) return afterAnother(wanted, theirs, looks);
  const open = sagasIn(looks, wanted).find((saga) => isOpen(stagesOf(saga, looks)));
  const isSame = open && isSameMove(open.move, wanted.move);
  if (open && (!isSame || open.direction !== wanted.direction)) {
    // A signer that another stack has on the host that is the source now was, in that one, at its target.
    const between = anothers(open, looks);
    if (between) return afterAnother(open, between, looks);
    const stages = stagesOf(open, looks);
    // One that may sign on its target is ended first, but for the way back, which may begin at any time from then on.
    if (isSame && wanted.direction === "back" && isPast(stages)) return begin(wanted, looks, memory);
    if (isSame && !isPast(stages)) {
      const undo = back(open, looks);
      if (undo) return undo;
    }
    return onward(open, looks, memory);
  }
  return begin(wanted, looks, memory);
}

function begin(wanted: Saga, looks: Looks, memory: RunMemory): MoveDecision {
  const { s, t } = stagesOf(wanted, looks);
  const { target } = sidesOf(wanted);
  const holder = standsAt(looks, wanted);
  const isKnown = s !== undefined || t !== undefined;
  if (wanted.direction === "back" && !isKnown && holder === "old")
    return done(holder, "nothing to roll back", wanted, looks);
  if (wanted.direction === "forward") {
    if (!isKnown && holder === "new") return done(holder, "moved", wanted, looks);
    const returned = sagasIn(looks, wanted).some(
      ({ move, direction }) => isSameMove(move, wanted.move) && direction === "back",
    );
    if (returned && !isPast({ s, t }))
      return done(holder, holder === "old" ? "raise the attempt" : "moved", wanted, looks);
  }
  if (t === "running" && (s === undefined || s === "moved")) return done(target, "moved", wanted, looks);
  return onward(wanted, looks, memory);
}

/** The way there. */
function onward(saga: Saga, looks: Looks, memory: RunMemory): MoveDecision {
  const { source, target } = sidesOf(saga);
  const [from, to] = [looks[source], looks[target]];
  const { s, t } = stagesOf(saga, looks);
  const stop = (why: Obstacle): MoveDecision => ({ do: "stop here", saga, why });
  const step = (name: MoveStep): MoveDecision => ({ do: name, saga });
  if (memory.failed) {
    if (isPast({ s, t })) return stop("target is started");
    return back(saga, looks) ?? done(source, "undone", saga, looks);
  }
  if (to === "outOfSight") return stop("target out of sight");
  if (to.active && !isPast({ s, t })) return stop("target runs unasked");
  if (t === "running" || t === "starting" || t === "switched" || t === "staged") {
    // Without sight of the source its fence is known from the target's journal.
    if (from !== "outOfSight" && (from.active || !from.masked)) return stop("source runs unasked");
    // The source hears of the end only after the target's journal has it: one that says less is of an earlier moment.
    const isPastEnd = s === "moved" && t !== "running";
    if (s === "stopping" || s === "restoring" || s === "restored" || isPastEnd) return stop("journals disagree");
    if (t === "running") return step("close");
    return step(t === "staged" ? "arrive" : "start");
  }
  if (from === "outOfSight") return stop("source out of sight");
  if (s === "restoring") return step("restore");
  if (s === "moved") return stop("journals disagree");
  if (s === "fenced") return from.active || !from.masked ? stop("source runs unasked") : step("copy");
  if (s === "stopping") {
    if (!memory.stopped || from.active || !from.masked) return step("stop");
    return step(memory.backedUp ? "fence" : "backup");
  }
  // The way back is for a new side that does not come up, too.
  if (!from.active && saga.direction === "forward") return stop("source does not run");
  return step(memory.bulkCopied ? "stop" : "bulk");
}

/** The way back, which is open until the target may have been started. Undefined where there is nothing to undo. */
function back(saga: Saga, looks: Looks): MoveDecision | undefined {
  const { source, target } = sidesOf(saga);
  const [from, to] = [looks[source], looks[target]];
  const { s, t } = stagesOf(saga, looks);
  if (from === "outOfSight") return { do: "stop here", saga, why: "source out of sight" };
  if (to === "outOfSight") return { do: "stop here", saga, why: "target out of sight" };
  if (s === undefined || s === "restored") return undefined;
  if (s === "moved") return { do: "stop here", saga, why: "journals disagree" };
  // Read back, not remembered, also where the source was about to be freed: only where the target can't start any more.
  if (to.active && t !== "abandoned") return { do: "stop here", saga, why: "target runs unasked" };
  if (t !== "abandoned" || !to.masked || to.active || to.inPlace) return { do: "seal", saga };
  return { do: "restore", saga };
}
