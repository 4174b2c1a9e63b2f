import { isSameMove, isSameOwner } from "../../eventLog/moveId";
import type { Journal, Saga, WhichHost } from "./journal";

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

/** Stages of a move that left at most a copy on its host. */
export const copyStages: readonly string[] = ["staging", "abandoned"];
