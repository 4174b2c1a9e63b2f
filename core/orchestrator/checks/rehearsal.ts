import type { RpcClock } from "../../chain/orchestrator";
import type { RootHost } from "../../ssh/root";
import { openStore } from "../../store/openStore";
import { isPillarNode } from "../rules/endpoints";
import { formatSurvey } from "./moveSummary";
import type { MoveSurvey } from "./moveSurvey";
import { createRequirements, findBegin, type SecureOptions } from "./preparation";
import { findMoveProblems } from "./prerequisites";
import { type ChainReaders, surveyBoth } from "./survey";

interface RehearsalDeps extends RpcClock, ChainReaders {
  readonly roots: { readonly old: RootHost; readonly new: RootHost };
}

interface Rehearsal {
  /** The host whose journal says that the move has begun; then nothing is checked. */
  readonly begun?: string;
  readonly faults: readonly string[];
  readonly shown: readonly string[];
}

/** Runs a move's checks, writes nothing. @param nodeCounts true if an unsynced node is a problem */
export async function rehearse(options: SecureOptions, nodeCounts: boolean, deps: RehearsalDeps): Promise<Rehearsal> {
  const { roots } = deps;
  const store = openStore(options.backups.directory);
  const found = await surveyBoth(roots, { ...options, backupDirectory: store.directory }, deps, deps);
  const begun = findBegin(found, options.move);
  if (begun !== undefined) return { begun, faults: [], shown: [] };
  const wanted = await createRequirements(options, roots, store);
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
