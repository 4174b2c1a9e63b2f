import { type BuildInfo, compareVersions } from "../../chain/orchestrator.ts";
import { isSameOwner } from "../../eventLog/moveId.ts";
import { formatProblem, type Problem } from "../../util/problem.ts";
import { type Result, takeValue } from "../../util/result.ts";
import { formatSize } from "../../util/timeText.ts";
import { describeAnsweringHost } from "../rules/obstacles.ts";
import { formatBridgeState } from "./bridgeState.ts";
import { findOldHostProblems } from "./oldHostProblems.ts";
import { checkBridge } from "./stoppedState.ts";
import type { MoveSurvey, NewHost, OldHost, Requirements } from "./survey.ts";

/** Free space needed beyond the copied files: for journals, a rewritten configuration, the node's growth meanwhile. */
const marginBytes = 64 * 1024 * 1024;
const marginFiles = 100;

/** Checks everything that a move needs (docs/specification.md, 1.2, step 1). Returns a text for each problem. */
export function findMoveProblems(survey: MoveSurvey, wanted: Requirements): string[] {
  const { run, restoreFrom } = wanted;
  const old = takeValue(survey.old);
  const fresh = takeValue(survey.new);
  const neededBytes = (old?.facts.bytes ?? 0) + marginBytes;
  const problems: (Problem | false | undefined)[] = [
    restoreFrom === undefined
      ? readProblem("old", survey, wanted)
      : isAnswering(survey.old) && describeAnsweringHost(wanted.old.address, run),
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

function readProblem(side: "old" | "new", survey: MoveSurvey, wanted: Requirements): Problem | undefined {
  const result = survey[side];
  const { address } = wanted[side];
  const login = side === "old" ? "pillar-host:oldHost" : "pillar-host:ssh";
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

/** True if a host answers, even if its journal is damaged. */
export function isAnswering(host: MoveSurvey["old"]): boolean {
  return "value" in host || host.kind === "unreadableJournal";
}

/** Checks the bridge's state on the chain. If getStatus says the same, the old host's checks report it. */
function bridgeProblem({ old, bridge }: MoveSurvey, { haltedBridge }: Requirements): Problem | undefined {
  const ownState = takeValue(takeValue(old)?.status)?.state;
  return bridge.known && bridge.state === ownState ? undefined : checkBridge(bridge, haltedBridge);
}

export function formatMoveFaults(faults: readonly string[], { run }: Requirements): string {
  const count = faults.length === 1 ? "One thing stands" : `${faults.length} things stand`;
  return [
    `The orchestrator can't be moved yet; nothing was touched on either host. ${count} in the way:`,
    ...faults.map((fault) => `- ${fault.replaceAll("\n", "\n  ")}`),
    `  Then: ${run.up}`,
  ].join("\n");
}

export function formatSurvey(survey: MoveSurvey, wanted: Requirements): string[] {
  if ("problem" in survey.old || "problem" in survey.new) return [];
  const { facts, build, status } = survey.old.value;
  const version =
    "value" in build ? `${build.value.version} (${build.value.gitCommit.slice(0, 8) || "no commit"})` : "not known";
  const next = chooseNewVersion(wanted, survey.new.value.build);
  const live = takeValue(status)?.stateName ?? "not reported by its build";
  const { environment } = survey.new.value.facts;
  // An empty value stands for one that is of no use on the new host.
  const isOther = ([name, hash]: readonly [string, string]) => !["", undefined, hash].includes(environment.get(name));
  const others = [...facts.environment].filter(isOther).map(([name]) => name);
  const hasUnknownKey = !survey.bridge.known && facts.shares.length > 0;
  return [
    `old host ${wanted.old.address}: ${version}, state: ${live}, ${facts.files} files, ${formatSize(facts.bytes)}, key shares: ${facts.shares.length}`,
    `new host ${wanted.new.address}: ${next ?? "version not known before it runs"}, ${formatSize(survey.new.value.facts.free)} free`,
    ...(others.length > 0 ? [`its unit has another value than the old host's for ${others.join(", ")}`] : []),
    ...(hasUnknownKey ? ["no node tells the bridge's key, so the key share could not be compared with it"] : []),
    ...formatBridgeState(survey.bridge),
  ];
}

function findNewHostProblems(host: NewHost, old: OldHost | undefined, wanted: Requirements) {
  return [
    ...placeProblems(host, old, wanted),
    wanted.restoreFrom === undefined && sshProblem(host, wanted),
    old && endpointProblem(host, old, wanted),
    old && environmentProblem(host, old, wanted),
    versionProblem(host, old, wanted),
  ];
}

function placeProblems({ facts }: NewHost, old: OldHost | undefined, wanted: Requirements) {
  const { address, directory } = wanted.new;
  const isOwn = facts.journal !== undefined && isSameOwner(facts.journal.move, wanted.move);
  const neededBytes = (old?.facts.bytes ?? 0) + marginBytes;
  const neededFiles = (old?.facts.files ?? 0) + marginFiles;
  const hasFewInodes = facts.inodes < neededFiles;
  const found = [
    facts.directory === "link" && `a link to ${facts.real}`,
    facts.directory === "no directory" && "a file",
    facts.shares.length > 0 && !isOwn && `key shares not put there by this move: ${facts.shares.length}`,
  ].filter((line) => line !== false);
  return [
    found.length > 0 && {
      what: `${address}: ${directory} is in the way`,
      found,
      needed: "nothing there, or a directory without a key share: a share is irreplaceable, so none is overwritten",
      next: `Is it another orchestrator's host? If the share is of no use, on the host: mv ${directory} ${directory}.aside`,
    },
    (facts.free < neededBytes || hasFewInodes) && {
      what: `${address}: the disk has no room for a copy of the orchestrator's directory`,
      found: `${formatSize(facts.free)}${hasFewInodes ? ` and ${facts.inodes} inodes` : ""} free at ${facts.mount}`,
      needed: `${formatSize(neededBytes)}${hasFewInodes ? ` and ${neededFiles} inodes` : ""}`,
    },
  ];
}

/** Checks the connections to nodes: without them the orchestrator ends at its start, when the old host is fenced. */
function endpointProblem({ reached }: NewHost, old: OldHost, wanted: Requirements) {
  const missing = old.endpoints.filter((each) => old.reached.includes(each.old) && !reached.includes(each.new));
  const { address, directory, service } = wanted.old;
  return (
    missing.length > 0 && {
      what: `${wanted.new.address}: the new host does not reach nodes that the orchestrator uses`,
      found: missing.map((each) => `no connection to ${each.new} (${each.network}); the old host has one`),
      needed: "allow these connections; for a node on the orchestrator's own host, install such a node on the new host",
      next: [
        `Check on ${wanted.new.address} with: nc -vz ${missing[0]?.new.replace(/:(?=\d+$)/, " ")}`,
        `Or, on ${address}: systemctl stop ${service}; name another node in Networks of ${directory}/config.json; systemctl start ${service}`,
      ],
    }
  );
}

/** Compares the units' variables: without one of them, the orchestrator may end at its start, after the fence. */
function environmentProblem({ facts }: NewHost, old: OldHost, { new: { address, service } }: Requirements) {
  const missing = [...old.facts.environment.keys()].filter((name) => !facts.environment.has(name));
  const place = `/etc/systemd/system/${service}.service.d/environment.conf`;
  const lines = missing.map((name) => `  Environment="${name}=VALUE"`);
  return (
    missing.length > 0 && {
      what: `${address}: the orchestrator's unit lacks variables of the old host's unit`,
      found: `no ${missing.join(", no ")}`,
      needed: "the same ones, by your hand, because they may be secrets; an empty value for one that is of no use here",
      next: [`On ${address}: install -D -m 600 /dev/null ${place}, and write there:`, "  [Service]", ...lines],
    }
  );
}

function sshProblem({ shownKeys }: NewHost, { copyAddress, sshPort, hostKey, ...wanted }: Requirements) {
  const { address } = wanted.new;
  return (
    !shownKeys.includes(hostKey) && {
      what: `${address}: the new host does not reach the old one's ssh at ${copyAddress}:${sshPort}`,
      found: shownKeys[0] ?? "no ssh server with the old host's key",
      needed: `${hostKey}: the copy goes from host to host`,
      next: [
        `Allow ${address} to TCP port ${sshPort} of the old host, in its firewall and at its provider (with ufw, on the old host: ufw allow from ${address} to any port ${sshPort} proto tcp)`,
        `Is it reached at another address? ${wanted.run.set("oldHost.copyAddress", "ADDRESS")}`,
      ],
    }
  );
}

function versionProblem({ facts, build }: NewHost, old: OldHost | undefined, wanted: Requirements) {
  const next = chooseNewVersion(wanted, build);
  const { address } = wanted.new;
  const { set } = wanted.run;
  if (next === undefined && !facts.hasExecutable)
    return {
      what: `${address}: the orchestrator is not installed on the new host, and no release is configured`,
      found: "no executable in /usr/local/bin",
      needed: "its release, with hash and version",
      next: `${set("orchestrator.release.url", "URL")}, and the same for sha256 and version`,
    };
  const current = takeValue(old?.build)?.version;
  if (next === undefined || current === undefined || compareVersions(next, current) >= 0) return undefined;
  return {
    what: `${address}: the new host's orchestrator is older than the old host's`,
    found: `${next} on the new host, ${current} on the old one`,
    needed: `${current} or newer: an older build may not understand the state`,
    next: `${set("orchestrator.release.version", current)}, with its url and sha256`,
  };
}

function chooseNewVersion({ release }: Requirements, build: Result<BuildInfo>): string | undefined {
  return release?.version ?? takeValue(build)?.version;
}
