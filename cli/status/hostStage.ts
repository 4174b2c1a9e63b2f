import { decideNextStep } from "../../core/journey/decideNextStep.ts";
import type { StackFacts } from "../../core/journey/facts.ts";
import type { Needs } from "../../core/journey/stackStages.ts";
import { formatProgress } from "../../core/sync/progress.ts";
import { printable } from "../../core/util/printable.ts";
import { takeValue } from "../../core/util/result.ts";
import { findProblems } from "./parts/hostProblemsPart.ts";
import type { StackView } from "./stackView.ts";

/** Returns a view's facts that decide what is next. */
export function listFacts({ sync, synced, ...view }: StackView): StackFacts {
  const known = sync?.observation.kind === "answer";
  const why = sync ? printable(formatProgress(sync)) : "no answer";
  return { ...view, node: { synced, known, why, reason: sync?.why.kind } };
}

export function decideStage(view: StackView): { readonly needs: Needs; readonly stage: string; readonly next: string } {
  const { parts, stack } = view;
  const { needs, title, next } = decideNextStep(listFacts(view));
  const hasProblem = takeValue(parts.orchestrator)?.isWrong || findProblems(parts, stack).some(({ isNow }) => isNow);
  return { needs: hasProblem ? "attention" : needs, stage: title, next };
}
