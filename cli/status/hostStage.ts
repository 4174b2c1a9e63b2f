import { decideNextStep } from "../../core/journey/decideNextStep.ts";
import type { StackFacts } from "../../core/journey/stackFacts.ts";
import type { Needs } from "../../core/journey/stackStages.ts";
import type { NodeStatus } from "../../core/sync/nodeStatus.ts";
import { formatProgress } from "../../core/sync/progress.ts";
import { printable } from "../../core/util/printable.ts";
import { takeValue } from "../../core/util/result.ts";
import { findProblems } from "./parts/hostProblemsPart.ts";
import type { StackView } from "./stackView.ts";

/** Returns a view's facts that decide what is next. */
export function listFacts({ sync, synced, ...view }: StackView): StackFacts {
  return { ...view, node: getNodeStatus(sync, synced) };
}

export function getNodeStatus(sync: StackView["sync"], synced: boolean): NodeStatus {
  if (sync === undefined) return { synced, known: false, why: "no answer" };
  const { observation, why } = sync;
  const answer = observation.kind === "answer" ? { known: true, ...observation.info } : { known: false };
  return { synced, why: printable(formatProgress(sync)), reason: why.kind, ...answer };
}

export function decideStage(view: StackView): { readonly needs: Needs; readonly stage: string; readonly next: string } {
  const { needs, title, next } = decideNextStep(listFacts(view));
  const hasProblem = takeValue(view.parts.orchestrator)?.isWrong || findProblems(view).some(({ isNow }) => isNow);
  return { needs: hasProblem ? "attention" : needs, stage: title, next };
}
