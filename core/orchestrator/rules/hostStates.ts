import { isSameMove, isSameOwner } from "../../eventLog/moveId";
import { assignRoles, type Journal, type Saga, type SourceStage, type TargetStage, type WhichHost } from "./journal";

export interface OrchestratorObservation {
  readonly journal?: Journal | undefined;
  /** True if a process of the orchestrator lives, or systemd is about to start one. */
  readonly active: boolean;
  /** True if the unit is masked, also after a reboot. */
  readonly masked: boolean;
  /** True if an abandoned move's files still lie where a start would find them, because `seal` was interrupted. */
  readonly inPlace?: boolean;
}

/** Undefined: no answer, or another machine answers. */
export type HostState = OrchestratorObservation | undefined;

export interface HostStates {
  readonly old: HostState;
  readonly new: HostState;
}

/** True if a journal belongs to this stack's moves between these hosts, not to another pair's. */
export function belongsToPair(at: WhichHost, { move, side }: Journal, wanted: Saga): boolean {
  return isSameOwner(move, wanted.move) && side === at;
}

export function belongsToSaga(at: WhichHost, journal: Journal, saga: Saga): boolean {
  return (
    belongsToPair(at, journal, saga) && isSameMove(journal.move, saga.move) && journal.direction === saga.direction
  );
}

interface Stages {
  readonly s?: SourceStage | undefined;
  readonly t?: TargetStage | undefined;
}

export function findStages(saga: Saga, states: HostStates): Stages {
  const stage = (side: WhichHost) => {
    const journal = states[side]?.journal;
    return journal && belongsToSaga(side, journal, saga) ? journal.stage : undefined;
  };
  const { source, target } = assignRoles(saga);
  return { s: stage(source) as SourceStage | undefined, t: stage(target) as TargetStage | undefined };
}

/** True if the target may sign, so no rollback is made without the operator. */
export function isTargetStarted({ t }: Stages): boolean {
  return t === "starting" || t === "running";
}

/** True if a saga has changed something beyond its copy, and has not ended. */
export function isOpen({ s, t }: Stages): boolean {
  if (t === "running") return s === "fenced" || s === "stopping";
  return (
    s === "stopping" || s === "fenced" || s === "restoring" || t === "staged" || t === "switched" || t === "starting"
  );
}

/** Returns the sagas that this stack's journals name, the new host's first. */
export function listSagas(states: HostStates, wanted: Saga): Saga[] {
  return (["new", "old"] as const).flatMap((side) => {
    const journal = states[side]?.journal;
    if (!journal || !belongsToPair(side, journal, wanted)) return [];
    return [{ move: journal.move, direction: journal.direction }];
  });
}

/** Returns the host that has the orchestrator, by this stack's journals. */
export function findHolder(states: HostStates, wanted: Saga): WhichHost {
  const stage = (side: WhichHost) => {
    const journal = states[side]?.journal;
    return journal && belongsToPair(side, journal, wanted) ? journal.stage : undefined;
  };
  if (["running", "starting", "restored"].includes(stage("new") ?? "")) return "new";
  return stage("old") === "moved" ? "new" : "old";
}
