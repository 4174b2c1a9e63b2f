import { formatMove, isSameMove } from "../../eventLog/moveId.ts";
import { commandsFor } from "../../util/commands.ts";
import { ProblemError } from "../../util/problem.ts";
import { belongsToSaga, type Journal, journalFile } from "./journal.ts";
import { lookUpStage, type Stage } from "./journalStages.ts";

/** A saga on one of its hosts, as its journals there name it. */
export type SagaAtHost = Omit<Journal, "stage" | "at" | "keyStore" | "identity" | "history">;

/** Values that a stage changes beside itself. */
export type StageChanges = Partial<Pick<Journal, "keyStore" | "identity">>;

/** Returns the journal with which a saga enters a stage: `before` if it is in it. @throws ProblemError if it may not */
export function enterStage(
  before: Journal | undefined,
  stage: Stage,
  saga: SagaAtHost,
  { at, ...changes }: StageChanges & Pick<Journal, "at">,
): Journal {
  const { move, direction, generation, side } = saga;
  const isSame = before !== undefined && belongsToSaga(side, before, saga) && before.generation === generation;
  if (isSame && before.stage === stage) return before;
  const { after, copy } = lookUpStage(stage);
  const { role, key } = lookUpStage(before?.stage);
  // An orchestrator that was started, in whichever move, is not sealed, and gets no copy beside it.
  if (after ? !(isSame && after.includes(before.stage)) : copy === "part" && role === "target" && key)
    throw new ProblemError({
      what: `by the journal of the ${side} host this step of the move is not due: nothing was done there`,
      found: `${before ? `${before.stage} in ${formatMove(before.move)}, generation ${before.generation}` : "no journal"}; the step is ${stage} in ${formatMove(move)}, generation ${generation}`,
      needed: `find out which host signs, and who changed ${journalFile} there (docs/orchestrator.md, Journals)`,
      next: `Then: ${commandsFor(move.stack).up}`,
    });
  const identity = before && isSameMove(before.move, move) ? before.identity : null;
  // Once the copy is in place, the directory that was there was moved aside, with its fenced key store.
  const keyStore = stage === "switched" ? undefined : before?.keyStore;
  const history = [...(before?.history ?? []), { stage, at, move, direction }];
  return { ...saga, stage, at, keyStore, identity, ...changes, history };
}

/**
 * True if a saga's whole copy may lie in place although the saga was abandoned, because `seal` was interrupted before
 * its rename. False for files from before the move.
 */
export function mayLieInPlace({ stage, move, direction, history }: Journal): boolean {
  const past = history.at(-2);
  const { copy, key } = lookUpStage(past?.stage);
  const isOfSaga = past?.move !== undefined && isSameMove(past.move, move) && past.direction === direction;
  return stage === "abandoned" && isOfSaga && copy === "whole" && !key;
}
