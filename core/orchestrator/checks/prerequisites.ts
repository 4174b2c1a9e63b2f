import { commandsFor } from "../../util/commands";
import { formatProblem, type Problem } from "../../util/problem";
import { formatSize } from "../../util/sizeText";
import { findHomeProblems } from "./homeProblems";
import { listFailedChecks, marginBytes } from "./hostProblems";
import type { MoveSurvey, Requirements } from "./moveSurvey";
import { findNewHostProblems } from "./newHostProblems";
import { findOldHostProblems } from "./oldHostProblems";
import { checkBridge } from "./stoppedState";

/** Checks everything that a move needs (docs/specification.md, 1.2, step 1). Returns a text for each problem. */
export function findMoveProblems(survey: MoveSurvey, wanted: Requirements): string[] {
  const run = commandsFor(wanted.stack);
  const old = "value" in survey.old ? survey.old.value : undefined;
  const fresh = "value" in survey.new ? survey.new.value : undefined;
  const neededBytes = (old?.facts.bytes ?? 0) + marginBytes;
  const problems = [
    ...oldHostInSight(survey, wanted),
    ...(old && wanted.restoreFrom === undefined
      ? [...findOldHostProblems(old, wanted, fresh?.facts.journal), ...findHomeProblems(old, survey, wanted)]
      : []),
    ...("problem" in survey.new ? [unreadable("new", wanted, survey.new.problem)] : []),
    ...(fresh ? findNewHostProblems(fresh, old, wanted) : []),
    ...listFailedChecks([
      !survey.node.synced && {
        what: `${wanted.new.address}: the node is not synced now`,
        found: survey.node.why,
        needed: "a synced node: the orchestrator waits for it, and the bridge for the orchestrator",
        next: `Wait until the node is synced, then run ${run.up} again.`,
      },
    ]),
    ...bridgeProblems(survey, wanted),
    ...listFailedChecks([
      survey.room < neededBytes && {
        what: "this machine has no room for the backup",
        found: `${formatSize(survey.room)} free at ${wanted.backupDirectory}`,
        needed: formatSize(neededBytes),
        next: `Make room, or: ${run.set("orchestrator.backup.directory", "DIRECTORY")}`,
      },
    ]),
  ];
  return problems.map(formatProblem);
}

/** Checks that the old host answers or, in a restore, that the lost host does not. */
function oldHostInSight({ old }: MoveSurvey, wanted: Requirements): Problem[] {
  if (wanted.restoreFrom === undefined) return "problem" in old ? [unreadable("old", wanted, old.problem)] : [];
  if ("problem" in old) return [];
  const run = commandsFor(wanted.stack);
  return [
    {
      what: `${wanted.old.address}: this host answers, although a backup is to take its place`,
      needed: "move the orchestrator from this host: the files there are newer than any backup",
      next: `${run.remove("orchestrator.migrateFrom.backup")} && ${run.up}`,
    },
  ];
}

/** Checks the bridge's state on the chain. If getStatus says the same, the old host's checks report it. */
function bridgeProblems({ old, bridge }: MoveSurvey, wanted: Requirements): Problem[] {
  const status = "value" in old ? old.value.status : undefined;
  const ownState = status && "value" in status ? status.value?.state : undefined;
  const problem = checkBridge(bridge, wanted.haltedBridge, commandsFor(wanted.stack));
  return problem === undefined || (bridge.known && bridge.state === ownState) ? [] : [problem];
}

function unreadable(side: "old" | "new", wanted: Requirements, problem: string): Problem {
  const { address } = wanted[side];
  const login = side === "old" ? "pillar-host:orchestrator.migrateFrom" : "pillar-host:ssh";
  return {
    what: `${address}: the ${side} host can't be read`,
    found: problem.replaceAll("\n", "\n  "),
    needed: `a running host that accepts a login of root, or of a user with sudo (${login})`,
    next: `See it with: ssh -v ${address}, as the user and on the port of ${login}. Then run ${commandsFor(wanted.stack).up} again.`,
  };
}
