import { formatProblem, type Problem } from "../../util/problem";
import { takeValue } from "../../util/result";
import { formatSize } from "../../util/sizeText";
import { unreadableJournal } from "../rules/journal";
import { formatBridgeState } from "./bridgeState";
import { chooseNewVersion, findNewHostProblems, marginBytes } from "./newHostProblems";
import { findOldHostProblems } from "./oldHostProblems";
import { checkBridge } from "./stoppedState";
import type { MoveSurvey, Requirements } from "./survey";

/** Checks everything that a move needs (docs/specification.md, 1.2, step 1). Returns a text for each problem. */
export function findMoveProblems(survey: MoveSurvey, wanted: Requirements): string[] {
  const { run, restoreFrom } = wanted;
  const old = takeValue(survey.old);
  const fresh = takeValue(survey.new);
  const neededBytes = (old?.facts.bytes ?? 0) + marginBytes;
  const problems: (Problem | false | undefined)[] = [
    restoreFrom === undefined ? readProblem("old", survey, wanted) : answeringProblem(survey, wanted),
    readProblem("new", survey, wanted),
    ...(old && restoreFrom === undefined ? findOldHostProblems(old, survey, wanted) : []),
    ...(fresh ? findNewHostProblems(fresh, old, wanted) : []),
    !survey.node.synced && {
      what: `${wanted.new.address}: the node is not synced now`,
      found: survey.node.why,
      needed: "wait until the node is synced: the orchestrator waits for it, and the bridge for the orchestrator",
    },
    bridgeProblem(survey, wanted),
    survey.room < neededBytes && {
      what: "this machine has no room for the backup",
      found: `${formatSize(survey.room)} free at ${wanted.backupDirectory}`,
      needed: formatSize(neededBytes),
      next: `Make room, or: ${run.set("orchestrator.backup.directory", "DIRECTORY")}`,
    },
  ];
  return problems.flatMap((problem) => (problem ? formatProblem(problem) : []));
}

/** Checks that a host can be read, and has the tools of a move. */
function readProblem(side: "old" | "new", survey: MoveSurvey, wanted: Requirements): Problem | undefined {
  const result = survey[side];
  const { address } = wanted[side];
  const login = side === "old" ? "pillar-host:orchestrator.migrateFrom" : "pillar-host:ssh";
  if ("problem" in result)
    return {
      what: `${address}: the ${side} host can't be read`,
      found: result.problem.replaceAll("\n", "\n  "),
      needed: `a running host that accepts a login of root, or of a user with sudo (${login})`,
      next: `See it with: ssh -v ${address}, as the user and on the port of ${login}`,
    };
  const { lacks } = result.value.facts;
  if (lacks.length === 0) return undefined;
  return { what: `${address}: tools are missing on the host`, found: lacks.join(", "), needed: "install them" };
}

/** Checks in a restore that the lost host does not answer. */
function answeringProblem({ old }: MoveSurvey, { old: { address }, run }: Requirements): Problem | false {
  return (
    ("value" in old || old.problem.includes(unreadableJournal)) && {
      what: `${address}: this host answers, although a backup is to take its place`,
      needed: "move the orchestrator from this host: the files there are newer than any backup",
      next: `${run.remove("orchestrator.migrateFrom.backup")} && ${run.up}`,
    }
  );
}

/** Checks the bridge's state on the chain. If getStatus says the same, the old host's checks report it. */
function bridgeProblem({ old, bridge }: MoveSurvey, { haltedBridge, run }: Requirements): Problem | undefined {
  const ownState = takeValue(takeValue(old)?.status)?.state;
  return bridge.known && bridge.state === ownState ? undefined : checkBridge(bridge, haltedBridge, run);
}

export function formatMoveFaults(faults: readonly string[], { run }: Requirements): string {
  const count = faults.length === 1 ? "One thing stands" : `${faults.length} things stand`;
  return [
    `The orchestrator can't be moved yet; nothing was touched on either host. ${count} in the way:`,
    ...faults.map((fault) => `- ${fault.replaceAll("\n", "\n  ")}`),
    `  Then: ${run.up}`,
  ].join("\n");
}

/** Formats what a move will find, for the operator. */
export function formatSurvey(survey: MoveSurvey, wanted: Requirements): string[] {
  if ("problem" in survey.old || "problem" in survey.new) return [];
  const { facts, build, status, identity } = survey.old.value;
  const version =
    "value" in build ? `${build.value.version} (${build.value.gitCommit.slice(0, 8) || "no commit"})` : "not known";
  const next = chooseNewVersion(wanted, survey.new.value.build);
  const live = takeValue(status)?.stateName ?? "not reported by its build";
  const pillar = takeValue(identity)?.pillarName;
  const hasUnknownKey = !survey.bridge.known && facts.shares > 0;
  return [
    `old host ${wanted.old.address}: ${version}, state: ${live}, ${facts.files} files, ${formatSize(facts.bytes)}, key shares: ${facts.shares}`,
    `new host ${wanted.new.address}: ${next ?? "version not known before it runs"}, ${formatSize(survey.new.value.facts.free)} free`,
    ...(pillar === undefined ? [] : [formatPillar(pillar)]),
    ...(hasUnknownKey ? ["no node tells the bridge's key, so the key share could not be compared with it"] : []),
    ...formatBridgeState(survey.bridge),
    ...(facts.hasNodeKey ? [] : ["the old host's node has no producer key store of its own: none is backed up"]),
  ];
}

function formatPillar(pillar: string): string {
  if (pillar !== "notFound") return `old host signs for Pillar ${pillar}`;
  return "old host: no Pillar has the orchestrator's producer key any more; the orchestrator signs until the next key generation, not after it";
}
