import { type BuildInfo, compareVersions } from "../../chain/orchestrator";
import { commandsFor } from "../../util/commands";
import type { Problem } from "../../util/problem";
import type { Result } from "../../util/result";
import { formatSize } from "../../util/sizeText";
import { isUsed } from "../rules/endpoints";
import { isOwn } from "../rules/journal";
import { findMissingTools, listFailedChecks, marginBytes } from "./hostProblems";
import type { NewSide, OldSide, Requirements, SshScan } from "./moveSurvey";

export function findNewHostProblems(side: NewSide, old: OldSide | undefined, wanted: Requirements): Problem[] {
  return [
    ...findMissingTools(wanted.new.address, side.facts, commandsFor(wanted.stack)),
    ...directoryProblems(side, old, wanted),
    ...(wanted.restoreFrom === undefined ? sshProblems(side.scan, wanted) : []),
    ...(old ? endpointProblems(old, side.reached, wanted) : []),
    ...versionProblems(side, old, wanted),
  ];
}

function directoryProblems({ facts }: NewSide, old: OldSide | undefined, wanted: Requirements): Problem[] {
  const { address, directory } = wanted.new;
  const run = commandsFor(wanted.stack);
  const neededBytes = (old?.facts.bytes ?? 0) + marginBytes;
  return listFailedChecks([
    facts.shares > 0 &&
      !isOwn(facts.journal, wanted.move) && {
        what: `${address}: there is a key share in ${directory} already`,
        found: `${facts.shares}, not put there by this move`,
        needed: "move the key share away: this program overwrites none, because a share is irreplaceable",
        next: `Is it another orchestrator's host? If the share is of no use, on the host: mv ${directory} ${directory}.aside. Then run ${run.up} again.`,
      },
    (facts.directory === "link" || facts.directory === "no directory") && {
      what: `${address}: ${directory} is in the way`,
      found: facts.directory === "link" ? `a link to ${facts.real}` : "a file",
      needed: "a directory, or nothing",
      next: `${run.set("orchestrator.directory", "DIRECTORY")}, or move ${directory} aside on the host`,
    },
    (facts.free < neededBytes || facts.inodes < (old?.facts.files ?? 0) + 1000) && {
      what: `${address}: the disk has no room for a copy of the orchestrator's directory`,
      found: `${formatSize(facts.free)} and ${facts.inodes} files free at ${facts.mount}`,
      needed: `${formatSize(neededBytes)}, and as many files as the copy has`,
      next: `Make room there, then run ${run.up} again.`,
    },
  ]);
}

/** Checks the connections to nodes: without them the orchestrator ends at its start, when the old host is fenced. */
function endpointProblems(old: OldSide, reached: readonly string[], wanted: Requirements): Problem[] {
  const run = commandsFor(wanted.stack);
  const { address } = wanted.new;
  const networks = "value" in old.status ? old.status.value?.networks : undefined;
  const missing = old.endpoints.filter((each) => old.reached.includes(each.old) && !reached.includes(each.new));
  const remote = [...new Set(missing.filter(({ isOwn }) => !isOwn).map((each) => each.new))];
  const local = missing.filter((each) => each.isOwn && isUsed(each, networks));
  const [first] = local;
  return listFailedChecks([
    remote.length > 0 && {
      what: `${address}: the new host does not reach nodes that the orchestrator uses`,
      found: `no connection to ${remote.join(", ")}; the old host has one`,
      needed: "connections to them",
      next: `Allow these connections, at those nodes and on ${address}. Check on ${address} with: nc -vz ${remote[0]?.replace(":", " ")}`,
    },
    first !== undefined && {
      what: `${address}: config.json names nodes on the orchestrator's own host, and the new host lacks them`,
      found: local.map((each) => `nothing at ${each.new} for ${each.network}`).join(", "),
      needed: `a node of each of these networks on ${address}, or one elsewhere: without it the orchestrator ends at its start`,
      next: `Install a node on ${address}; or, on ${wanted.old.address}: name another one in Networks, ${first.network}, Urls of ${wanted.old.directory}/config.json, then systemctl restart ${wanted.old.service}. Then run ${run.up} again.`,
    },
  ]);
}

function sshProblems(scan: SshScan, { copyAddress, sshPort, hostKey, ...wanted }: Requirements): Problem[] {
  const run = commandsFor(wanted.stack);
  const keys = scan.kind === "keys" ? scan.keys : [];
  if (keys.includes(hostKey)) return [];
  const type = hostKey.split(" ")[0] ?? "";
  const otherKey = keys.find((key) => key.startsWith(`${type} `));
  const setAddress = run.set("orchestrator.migrateFrom.copyAddress", "ADDRESS");
  if (otherKey !== undefined)
    return [
      {
        what: `${copyAddress}:${sshPort} shows the new host another ssh key than ${wanted.old.address} shows this machine`,
        found: otherKey,
        needed: hostKey,
        next: `Is it another machine? ${setAddress}`,
      },
    ];
  return [
    {
      what: `${wanted.new.address}: the new host does not reach the old one's ssh`,
      found: `${scan.kind === "noConnection" ? "no connection" : "no ssh server with that key"} at ${copyAddress}:${sshPort}`,
      needed: "let the new host reach the old one's ssh: the copy goes from host to host, as with scp",
      next: `Allow ${wanted.new.address} to TCP port ${sshPort} of the old host, in its firewall and at its provider (with ufw, on the old host: ufw allow from ${wanted.new.address} to any port ${sshPort} proto tcp). Is it reached at another address? ${setAddress}`,
    },
  ];
}

function versionProblems({ facts, build }: NewSide, old: OldSide | undefined, wanted: Requirements): Problem[] {
  const run = commandsFor(wanted.stack);
  const next = chooseNewVersion(wanted, build);
  const { address } = wanted.new;
  if (next === undefined && !facts.hasExecutable)
    return [
      {
        what: `${address}: the orchestrator is not installed on the new host, and no release is configured`,
        found: "no executable in /usr/local/bin",
        needed: "its release, with hash and version",
        next: `${run.set("orchestrator.release.url", "URL")}, and the same for sha256 and version`,
      },
    ];
  const current = old && "value" in old.build ? old.build.value.version : undefined;
  if (next === undefined || current === undefined || compareVersions(next, current) >= 0) return [];
  return [
    {
      what: `${address}: the new host's orchestrator is older than the old host's`,
      found: `${next} on the new host, ${current} on the old one`,
      needed: `${current} or newer: an older build may not understand the state`,
      next: `${run.set("orchestrator.release.version", current)}, with its url and sha256`,
    },
  ];
}

export function chooseNewVersion({ release }: Requirements, build: Result<BuildInfo>): string | undefined {
  return release?.version ?? ("value" in build ? build.value.version : undefined);
}
