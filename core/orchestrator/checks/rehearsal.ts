import { openStore } from "../../store/openStore";
import type { SecureOptions } from "../hosts/moveInputs";
import { isPillarNode } from "../rules/endpoints";
import { formatSurvey } from "./moveSummary";
import type { MoveSurvey } from "./moveSurvey";
import { createRequirements, findBegin } from "./preparation";
import { findMoveProblems } from "./prerequisites";
import { type MoveSurveyDeps, surveyBoth } from "./survey";

interface Rehearsal {
  /** The host whose journal says that the move has begun; then nothing is checked. */
  readonly begun?: string;
  readonly faults: readonly string[];
  readonly shown: readonly string[];
}

/** Runs a move's checks, writes nothing. @param nodeCounts true if an unsynced node is a problem */
export async function rehearse(options: SecureOptions, nodeCounts: boolean, deps: MoveSurveyDeps): Promise<Rehearsal> {
  const store = openStore(options.backups.directory);
  const found = await surveyBoth({ ...options, backupDirectory: store.directory }, deps);
  const begun = findBegin(found, options.move);
  if (begun !== undefined) return { begun, faults: [], shown: [] };
  const wanted = await createRequirements(options, deps.roots, store);
  const survey = nodeCounts ? found : assumeSyncedNode(found);
  return { faults: findMoveProblems(survey, wanted), shown: formatSurvey(survey, wanted) };
}

/** Returns the survey as it will be once the new host's own node is there and synced. */
export function assumeSyncedNode(found: MoveSurvey): MoveSurvey {
  const node = { ...found.node, synced: true };
  if ("problem" in found.new || "problem" in found.old) return { ...found, node };
  const there = found.old.value.endpoints.filter((each) => each.isOwn && isPillarNode(each));
  const reached = [...found.new.value.reached, ...there.map((each) => each.new)];
  return { ...found, node, new: { value: { ...found.new.value, reached } } };
}
