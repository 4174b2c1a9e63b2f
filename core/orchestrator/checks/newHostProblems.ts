import { type BuildInfo, compareVersions } from "../../chain/orchestrator";
import { isSameOwner } from "../../eventLog/moveId";
import { type Result, takeValue } from "../../util/result";
import { formatSize } from "../../util/sizeText";
import { isUsed } from "../rules/hostPairFacts";
import type { NewHost, OldHost, Requirements } from "./survey";

/** Free space needed beyond the copied files: for journals, a rewritten configuration, the node's growth meanwhile. */
export const marginBytes = 64 * 1024 * 1024;

export function findNewHostProblems(host: NewHost, old: OldHost | undefined, wanted: Requirements) {
  return [
    ...placeProblems(host, old, wanted),
    wanted.restoreFrom === undefined && sshProblem(host, wanted),
    old && endpointProblem(host, old, wanted),
    versionProblem(host, old, wanted),
  ];
}

function placeProblems({ facts }: NewHost, old: OldHost | undefined, wanted: Requirements) {
  const { address, directory } = wanted.new;
  const isOwn = facts.journal !== undefined && isSameOwner(facts.journal.move, wanted.move);
  const neededBytes = (old?.facts.bytes ?? 0) + marginBytes;
  const found = [
    facts.directory === "link" && `a link to ${facts.real}`,
    facts.directory === "no directory" && "a file",
    facts.shares > 0 && !isOwn && `key shares not put there by this move: ${facts.shares}`,
  ].filter((line) => line !== false);
  return [
    found.length > 0 && {
      what: `${address}: ${directory} is in the way`,
      found,
      needed: "nothing there, or a directory without a key share: a share is irreplaceable, so none is overwritten",
      next: `Is it another orchestrator's host? If the share is of no use, on the host: mv ${directory} ${directory}.aside`,
    },
    (facts.free < neededBytes || facts.inodes < (old?.facts.files ?? 0) + 1000) && {
      what: `${address}: the disk has no room for a copy of the orchestrator's directory`,
      found: `${formatSize(facts.free)} and ${facts.inodes} files free at ${facts.mount}`,
      needed: `${formatSize(neededBytes)}, and as many files as the copy has`,
    },
  ];
}

/** Checks the connections to nodes: without them the orchestrator ends at its start, when the old host is fenced. */
function endpointProblem({ reached }: NewHost, old: OldHost, wanted: Requirements) {
  const networks = takeValue(old.status)?.networks;
  const missing = old.endpoints.filter(
    (each) => old.reached.includes(each.old) && !reached.includes(each.new) && (!each.isOwn || isUsed(each, networks)),
  );
  const { address, directory, service } = wanted.old;
  return (
    missing.length > 0 && {
      what: `${wanted.new.address}: the new host does not reach nodes that the orchestrator uses`,
      found: missing.map((each) => `no connection to ${each.new} (${each.network}); the old host has one`),
      needed: "allow these connections; for a node on the orchestrator's own host, install such a node on the new host",
      next: [
        `Check on ${wanted.new.address} with: nc -vz ${missing[0]?.new.replace(/:(?=\d+$)/, " ")}`,
        `Or, on ${address}: name another node in Networks of ${directory}/config.json, then systemctl restart ${service}`,
      ],
    }
  );
}

function sshProblem({ shownKeys }: NewHost, { copyAddress, sshPort, hostKey, ...wanted }: Requirements) {
  const type = hostKey.split(" ")[0];
  const { address } = wanted.new;
  return (
    !shownKeys.includes(hostKey) && {
      what: `${address}: the new host does not reach the old one's ssh at ${copyAddress}:${sshPort}`,
      found: shownKeys.find((key) => key.startsWith(`${type} `)) ?? "no ssh server with the old host's key",
      needed: `${hostKey}: the copy goes from host to host`,
      next: [
        `Allow ${address} to TCP port ${sshPort} of the old host, in its firewall and at its provider (with ufw, on the old host: ufw allow from ${address} to any port ${sshPort} proto tcp)`,
        `Is it reached at another address? ${wanted.run.set("orchestrator.migrateFrom.copyAddress", "ADDRESS")}`,
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

export function chooseNewVersion({ release }: Requirements, build: Result<BuildInfo>): string | undefined {
  return release?.version ?? takeValue(build)?.version;
}
