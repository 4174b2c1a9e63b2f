import { type BuildInfo, compareVersions } from "../../chain/orchestrator";
import { commandsFor } from "../../util/commands";
import type { Result } from "../../util/result";
import { isUsed } from "../rules/endpoints";
import { isOwn } from "../rules/journal";
import { fault, lacking, margin, size } from "./faultText";
import type { MoveSurvey, NewSide, OldSide, Requirements, SshScan } from "./findings";

/** What stands against a move on the new host. @param bytes of what is moved */
export function newFaults(side: NewSide, survey: MoveSurvey, wanted: Requirements, bytes: number): string[] {
  const { facts, scan, reached } = side;
  const { address, directory } = wanted.new;
  const run = commandsFor(wanted.stack);
  const faults = lacking(address, facts, run);
  if (facts.shares > 0 && !isOwn(facts.journal, wanted.move))
    faults.push(
      fault(
        `${address}: there is a key share in ${directory} already`,
        `${facts.shares}, not put there by this move`,
        "none: a share is irreplaceable, and nothing here overwrites one",
        `Is it another signer's host? If it is of no use, on the host: mv ${directory} ${directory}.aside. Then run ${run.up} again.`,
      ),
    );
  if (facts.directory === "link" || facts.directory === "no directory")
    faults.push(
      fault(
        `${address}: ${directory} is in the way`,
        facts.directory === "link" ? `a link to ${facts.real}` : "a file",
        "a directory, or nothing",
        `${run.set("orchestrator.directory", "DIRECTORY")}, or move it aside on the host`,
      ),
    );
  if (facts.free < bytes + margin || facts.inodes < ("value" in survey.old ? survey.old.value.facts.files : 0) + 1000)
    faults.push(
      fault(
        `${address}: the disk has no room for a copy of the orchestrator's directory`,
        `${size(facts.free)} and ${facts.inodes} files free at ${facts.mount}`,
        `${size(bytes + margin)}, and as many files as the copy has`,
        `Make room there, then run ${run.up} again.`,
      ),
    );
  faults.push(...networkFaults(scan, wanted));
  if ("value" in survey.old) faults.push(...endpointFaults(survey.old.value, reached, wanted));
  return [...faults, ...versionFaults(side, survey, wanted)];
}

/** One that does not reach a node ends at once: found out after the fence, that is a bridge without this signer. */
function endpointFaults(old: OldSide, reached: readonly string[], wanted: Requirements): string[] {
  const run = commandsFor(wanted.stack);
  const { address } = wanted.new;
  const networks = "value" in old.status ? old.status.value?.networks : undefined;
  const missing = old.endpoints.filter((each) => old.reached.includes(each.old) && !reached.includes(each.new));
  const away = [...new Set(missing.filter(({ isOwn }) => !isOwn).map((each) => each.new))];
  const own = missing.filter((each) => each.isOwn && isUsed(each, networks));
  const [first] = own;
  return [
    ...(away.length === 0
      ? []
      : [
          fault(
            `${address}: the new host does not reach what the orchestrator talks to`,
            `no connection to ${away.join(", ")}; the old host has one`,
            "connections to them",
            `Let ${address} in there, or out here. See it on the host with: nc -vz ${away[0]?.replace(":", " ")}`,
          ),
        ]),
    ...(first === undefined
      ? []
      : [
          fault(
            `${address}: config.json names nodes on the orchestrator's own host, and the new host has none there`,
            own.map((each) => `nothing at ${each.new} for ${each.network}`).join(", "),
            `a node of each of these networks on ${address}, or one elsewhere: without it the orchestrator ends at its start`,
            `Install it on ${address}; or, on ${wanted.old.address}: name another in Networks, ${first.network}, Urls of ${wanted.old.directory}/config.json, then systemctl restart ${wanted.old.service}. Then run ${run.up} again.`,
          ),
        ]),
  ];
}

function networkFaults(scan: SshScan, { copyAddress, sshPort, hostKey, ...wanted }: Requirements): string[] {
  const run = commandsFor(wanted.stack);
  const keys = scan.kind === "keys" ? scan.keys : [];
  if (keys.includes(hostKey) || scan.kind === "noScanner") return [];
  const type = hostKey.split(" ")[0] ?? "";
  const shown = keys.find((key) => key.startsWith(`${type} `));
  if (shown !== undefined)
    return [
      fault(
        `${copyAddress}:${sshPort} shows the new host another key than ${wanted.old.address} shows here`,
        shown,
        hostKey,
        `Is it another machine? ${run.set("orchestrator.migrateFrom.copyAddress", "ADDRESS")}`,
      ),
    ];
  return [
    fault(
      `${wanted.new.address}: the new host does not reach the old one's ssh`,
      `${scan.kind === "noConnection" ? "no connection" : "no ssh server with that key"} at ${copyAddress}:${sshPort}`,
      "the copy goes from host to host, as with scp",
      `Allow ${wanted.new.address} to TCP port ${sshPort} of the old host, in its firewall and at its provider (with ufw, on the old host: ufw allow from ${wanted.new.address} to any port ${sshPort} proto tcp). Is it reached at another address? ${run.set("orchestrator.migrateFrom.copyAddress", "ADDRESS")}`,
    ),
  ];
}

function versionFaults({ facts, build }: NewSide, survey: MoveSurvey, wanted: Requirements): string[] {
  const run = commandsFor(wanted.stack);
  const next = newVersion(wanted, build);
  const { address } = wanted.new;
  if (next === undefined && !facts.hasExecutable)
    return [
      fault(
        `${address}: the orchestrator is not installed on the new host, and no release is configured`,
        "no executable in /usr/local/bin",
        "its release, with hash and version",
        `${run.set("orchestrator.release.url", "URL")}, and the same for sha256 and version`,
      ),
    ];
  const old =
    "value" in survey.old && "value" in survey.old.value.build ? survey.old.value.build.value.version : undefined;
  if (next === undefined || old === undefined || compareVersions(next, old) >= 0) return [];
  return [
    fault(
      `${address}: the new host's orchestrator is older than the old host's`,
      `${next} on the new host, ${old} on the old one`,
      `${old} or newer: an older build may not understand the state`,
      `${run.set("orchestrator.release.version", old)}, with its url and sha256`,
    ),
  ];
}

/** The version that the new side will have, where it is known. */
export function newVersion({ release }: Requirements, build: Result<BuildInfo>): string | undefined {
  return release?.version ?? ("value" in build ? build.value.version : undefined);
}
