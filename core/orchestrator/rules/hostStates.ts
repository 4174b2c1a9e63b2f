import { isSameMove, isSameOwner } from "../../eventLog/moveId";
import { assignRoles, bothSides, type Journal, type Saga, type WhichHost } from "./journal";

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

/** Both hosts in their roles in a saga, and their stages in it. */
interface SagaView extends ReturnType<typeof assignRoles> {
  readonly from: HostState;
  readonly to: HostState;
  readonly s?: Journal["stage"] | undefined;
  readonly t?: Journal["stage"] | undefined;
}

export function viewSaga(saga: Saga, states: HostStates): SagaView {
  const { source, target } = assignRoles(saga);
  const stage = (side: WhichHost) => {
    const journal = states[side]?.journal;
    return journal && belongsToSaga(side, journal, saga) ? journal.stage : undefined;
  };
  return { source, target, from: states[source], to: states[target], s: stage(source), t: stage(target) };
}

/** True if the target may sign, so no rollback is made without the operator. */
export function isTargetStarted({ t }: Pick<SagaView, "t">): boolean {
  return t === "starting" || t === "running";
}

/** Stages of a move that has begun to change the orchestrator on its host, and has not ended. */
export const openStages: readonly unknown[] = ["stopping", "fenced", "restoring", "staged", "switched", "starting"];

/** Stages of a move that left at most a copy on its host. */
export const copyStages: readonly string[] = ["staging", "abandoned"];

/** True if a saga has changed something beyond its copy, and has not ended. */
export function isOpen({ s, t }: SagaView): boolean {
  if (t === "running") return s === "fenced" || s === "stopping";
  return openStages.includes(s) || openStages.includes(t);
}

/** Returns the sagas that this stack's journals name, the new host's first. */
export function listSagas(states: HostStates, wanted: Saga): Saga[] {
  return bothSides.flatMap((side) => {
    const journal = states[side]?.journal;
    return journal && belongsToPair(side, journal, wanted)
      ? [{ move: journal.move, direction: journal.direction }]
      : [];
  });
}

/** Returns the host that has the orchestrator, by this stack's journals. */
export function findHolder(states: HostStates, wanted: Saga): WhichHost {
  const isAt = (side: WhichHost, ...stages: readonly Journal["stage"][]) => {
    const journal = states[side]?.journal;
    return journal !== undefined && belongsToPair(side, journal, wanted) && stages.includes(journal.stage);
  };
  return isAt("new", "running", "starting", "restored") || isAt("old", "moved") ? "new" : "old";
}
