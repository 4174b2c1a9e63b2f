import { isSameMove, isSameOwner } from "../../eventLog/moveId";
import { type Journal, type Saga, type SideName, type SourceStage, sidesOf, type TargetStage } from "./journal";

/** A host, as a look found it. */
export interface SideObservation {
  readonly journal?: Journal | undefined;
  /** A process of the orchestrator lives, or systemd is about to start one. */
  readonly active: boolean;
  /** Its unit is masked for good: no boot and no hand starts it. */
  readonly masked: boolean;
  /** It is abandoned, and what came with its move lies where a start would find it: its seal was cut off. */
  readonly inPlace?: boolean;
}

export type SideLook = SideObservation | "outOfSight";

/** Returns the journal that a look found. */
export function journalOf(look: SideLook): Journal | undefined {
  return look === "outOfSight" ? undefined : look.journal;
}

export interface Looks {
  readonly old: SideLook;
  readonly new: SideLook;
}

/** Whether a journal is of this stack's moves between these hosts: one that calls its host the other side is of other hosts. */
export function isOfThisPair(at: SideName, { move, side }: Journal, wanted: Saga): boolean {
  return isSameOwner(move, wanted.move) && side === at;
}

interface Stages {
  readonly s?: SourceStage | undefined;
  readonly t?: TargetStage | undefined;
}

export function stagesOf(saga: Saga, looks: Looks): Stages {
  const at = (side: SideName) => {
    const journal = journalOf(looks[side]);
    return journal &&
      isOfThisPair(side, journal, saga) &&
      isSameMove(journal.move, saga.move) &&
      journal.direction === saga.direction
      ? journal.stage
      : undefined;
  };
  const { source, target } = sidesOf(saga);
  return { s: at(source) as SourceStage | undefined, t: at(target) as TargetStage | undefined };
}

/** From here on the target may sign: there is no way back by itself. */
export function isPast({ t }: Stages): boolean {
  return t === "starting" || t === "running";
}

/** Whether a saga has begun to touch the signer, and has not come to an end. */
export function isOpen({ s, t }: Stages): boolean {
  if (t === "running") return s === "fenced" || s === "stopping";
  return (
    s === "stopping" || s === "fenced" || s === "restoring" || t === "staged" || t === "switched" || t === "starting"
  );
}

/** Of this stack's moves. */
export function sagasIn(looks: Looks, wanted: Saga): Saga[] {
  return (["new", "old"] as const).flatMap((side) => {
    const look = looks[side];
    if (look === "outOfSight" || !look.journal || !isOfThisPair(side, look.journal, wanted)) return [];
    const { move, direction } = look.journal;
    return [{ move, direction }];
  });
}

/**
 * The side on which the signer stands by this stack's journals, where one saga or none has been to its end: what
 * another stack's move says of its own sides is said of other hosts.
 */
export function standsAt({ old, new: fresh }: Looks, wanted: Saga): SideName {
  const stage = (side: SideName, look: SideLook) =>
    look !== "outOfSight" && look.journal && isOfThisPair(side, look.journal, wanted) ? look.journal.stage : undefined;
  if (["running", "starting", "restored"].includes(stage("new", fresh) ?? "")) return "new";
  if (stage("old", old) === "moved") return "new";
  return "old";
}
