import type { NodeNow } from "../lookup";
import { type BuildInfo, compareVersions, type SignerIdentity, type SignerStatus } from "../rpc/orchestrator";

/** What signer/facts.sh tells of a host. */
export interface SideFacts {
  /** systemd's words for the unit: loaded, not-found, masked; active, inactive…; enabled… */
  readonly load: string;
  readonly active: string;
  readonly enabled: string;
  /** `there`, `none`, `link` or `no directory`, and what it is a link to. */
  readonly directory: string;
  readonly real: string;
  readonly bytes: number;
  readonly files: number;
  /** Key shares. */
  readonly shares: number;
  /** Bytes and files that the disk has room for, and where it is mounted. */
  readonly free: number;
  readonly inodes: number;
  readonly mount: string;
  readonly hasNodeKey: boolean;
  readonly hasNodeConfig: boolean;
  readonly hasExecutable: boolean;
  /** Tools that are needed and not there. */
  readonly lacks: readonly string[];
  /** The text of the move's journal, where there is one. */
  readonly journal?: string;
}

/** Reads what signer_facts prints (pure). */
export function parseFacts(printed: string): SideFacts {
  const pairs = printed.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
  });
  const facts = new Map(pairs);
  const text = (name: string) => facts.get(name) ?? "";
  const journal = text("journal");
  return {
    ...{ load: text("load"), active: text("active"), enabled: text("enabled") },
    ...{ directory: text("directory"), real: text("real"), mount: text("mount") },
    ...{ bytes: Number(text("bytes")), files: Number(text("files")), shares: Number(text("shares")) },
    ...{ free: Number(text("free")), inodes: Number(text("inodes")) },
    ...{ hasNodeKey: facts.has("node_producer"), hasNodeConfig: facts.has("node_config") },
    hasExecutable: facts.has("executable"),
    lacks: pairs.filter(([name]) => name === "lacks").map(([, tool]) => tool),
    ...(journal === "" ? {} : { journal: Buffer.from(journal, "base64").toString("utf8") }),
  };
}

/** An answer, or why there is none. */
export type Told<T> = { readonly value: T } | { readonly error: string };

/** All that was found on both hosts and here. No secret in it. */
export interface Survey {
  readonly old: Told<{
    readonly facts: SideFacts;
    readonly build: Told<BuildInfo>;
    readonly status: Told<SignerStatus | undefined>;
    readonly identity: Told<SignerIdentity | undefined>;
    /** Files that are to be whole JSON and are not. */
    readonly damaged: readonly string[];
    /** Whether the key store that config.json names is there. */
    readonly hasKeyStore: boolean;
    /** host:port that the configuration names, and which of them answer from here. */
    readonly endpoints: readonly string[];
    readonly reached: readonly string[];
  }>;
  readonly new: Told<{
    readonly facts: SideFacts;
    readonly build: Told<BuildInfo>;
    /** What signer_scan printed. */
    readonly scan: string;
    readonly reached: readonly string[];
  }>;
  readonly node: NodeNow;
  /** Bytes that this machine has room for, where the backups go. */
  readonly room: number;
}

/** What the configuration says about it. */
export interface Wanted {
  /** `<project>/<stack>/<pillar>/<attempt>`. */
  readonly move: string;
  readonly old: { readonly address: string; readonly service: string; readonly directory: string };
  readonly new: { readonly address: string; readonly service: string; readonly directory: string };
  readonly rpcPort: number;
  /** How the new host reaches the old one's ssh, and the key that it must show there. */
  readonly copyAddress: string;
  readonly sshPort: number;
  readonly hostKey: string;
  readonly noKeyShare: boolean;
  readonly release?: { readonly version: string } | undefined;
  readonly backupDirectory: string;
}

/** Bytes beside what is copied: journals, a configuration rewritten, the node's growth meanwhile. */
const margin = 64 * 1024 * 1024;
const key = "pillar-host:orchestrator";

/**
 * All that stands against a move (pure; issue: Prerequisites; specification 1.2, step 1). One text each: what is wrong,
 * found, needed, the command to run next.
 */
export function faultsOf(survey: Survey, wanted: Wanted): string[] {
  const bytes = "value" in survey.old ? survey.old.value.facts.bytes : 0;
  return [
    ...("error" in survey.old ? [unseen("old", wanted, survey.old.error)] : oldFaults(survey.old.value, wanted)),
    ...("error" in survey.new
      ? [unseen("new", wanted, survey.new.error)]
      : newFaults(survey.new.value, survey, wanted, bytes)),
    ...(survey.node.synced
      ? []
      : [
          fault(
            `${wanted.new.address}: the node is not synced now`,
            survey.node.why,
            "a synced node: the orchestrator waits for it, and the bridge for the orchestrator",
            "Wait until it is, then run pulumi up again.",
          ),
        ]),
    ...(survey.room >= bytes + margin
      ? []
      : [
          fault(
            "this machine has no room for the backup",
            `${size(survey.room)} free at ${wanted.backupDirectory}`,
            size(bytes + margin),
            `Make room, or: pulumi config set --path ${key}.backup.directory DIRECTORY`,
          ),
        ]),
  ];
}

function unseen(side: "old" | "new", wanted: Wanted, error: string): string {
  const login = side === "old" ? `${key}.migrateFrom` : "pillar-host:ssh";
  return fault(
    `${wanted[side].address}: the ${side} host can't be looked at`,
    error.replaceAll("\n", "\n  "),
    `a running host that lets in root, or a user with sudo (${login})`,
    `See it with: ssh -v ${wanted[side].address}, as the user and on the port of ${login}. Then run pulumi up again.`,
  );
}

type OldSide = Extract<Survey["old"], { value: unknown }>["value"];
type NewSide = Extract<Survey["new"], { value: unknown }>["value"];

function oldFaults(side: OldSide, wanted: Wanted): string[] {
  const { facts, build, status } = side;
  const { address, service } = wanted.old;
  const at = (what: string) => `${address}: ${what}`;
  const faults = lacking(address, facts);
  if (facts.load === "not-found" || facts.load === "")
    faults.push(
      fault(
        at(`there is no service ${service}`),
        "no such unit",
        "the orchestrator's",
        `systemctl list-units --type=service on the host tells its name: pulumi config set --path ${key}.migrateFrom.service NAME`,
      ),
    );
  else if (facts.active !== "active")
    faults.push(
      fault(
        at(`the orchestrator does not run (${service})`),
        facts.load === "masked" ? "masked" : facts.active,
        "active",
        `On the host: systemctl start ${service}; journalctl -u ${service} -n 50. Then run pulumi up again.`,
      ),
    );
  if ("error" in build)
    faults.push(
      fault(
        at(`the orchestrator gives no good answer to getBuildInfo on 127.0.0.1:${wanted.rpcPort}`),
        build.error,
        "version, gitCommit and goVersion",
        `On the host: journalctl -u ${service} -n 50. Is it another port? pulumi config set --path ${key}.rpcPort PORT`,
      ),
    );
  if ("value" in status && status.value && status.value.state !== 0)
    faults.push(
      fault(
        at(status.value.state === 1 ? "a key generation is at work" : "the orchestrator is not live"),
        `state ${status.value.state} (${status.value.stateName})`,
        status.value.state === 1 ? "its end: stopping now would lose the key share" : "state 0 (live)",
        "Run pulumi up again when it is live.",
      ),
    );
  else if ("error" in status && "value" in build)
    faults.push(
      fault(
        at("the orchestrator does not say whether a key generation is at work"),
        status.error,
        "an answer to getStatus, or that the build has no such method",
        "Run pulumi up again.",
      ),
    );
  return [...faults, ...directoryFaults(side, wanted)];
}

function directoryFaults({ facts, damaged, hasKeyStore }: OldSide, wanted: Wanted): string[] {
  const { address, directory } = wanted.old;
  const found: Record<string, string> = { none: "nothing", link: `a link to ${facts.real}`, "no directory": "a file" };
  if (facts.directory !== "there") {
    const to = facts.directory === "link" ? facts.real : "DIRECTORY";
    return [
      fault(
        `${address}: ${directory} is not the orchestrator's directory`,
        found[facts.directory] ?? facts.directory,
        "the directory itself, with producer, config.json and tss",
        `pulumi config set --path ${key}.migrateFrom.directory ${to}`,
      ),
    ];
  }
  const faults = damaged.map((file) =>
    fault(
      `${address}: ${directory}/${file} is not whole`,
      "it is missing, or no JSON",
      "whole JSON (it may be read by nobody but you)",
      `On the host: ls -la ${directory}; journalctl -u ${wanted.old.service} -n 50. Then run pulumi up again.`,
    ),
  );
  if (!hasKeyStore)
    faults.push(
      fault(
        `${address}: the orchestrator's producer key store is not in ${directory}`,
        "none under the name that config.json tells",
        "the key store that makes this signer what it is",
        `On the host: ls -la ${directory}. Then run pulumi up again.`,
      ),
    );
  if (facts.shares === 0 && !wanted.noKeyShare)
    faults.push(
      fault(
        `${address}: there is no key share (tss/localstate-*.json) in ${directory}`,
        "none",
        "the share, or your word that this signer has none: it then takes part again after the next key generation",
        `Where it is so: pulumi config set --path ${key}.migrateFrom.noKeyShare acknowledged`,
      ),
    );
  return faults;
}

function newFaults(side: NewSide, survey: Survey, wanted: Wanted, bytes: number): string[] {
  const { facts, scan, reached } = side;
  const { address, directory } = wanted.new;
  const faults = lacking(address, facts);
  if (facts.shares > 0 && !isOwn(facts.journal, wanted.move))
    faults.push(
      fault(
        `${address}: there is a key share in ${directory} already`,
        `${facts.shares}, not put there by this move`,
        "none: a share is irreplaceable, and nothing here overwrites one",
        `Is it another signer's host? If it is of no use, on the host: mv ${directory} ${directory}.aside. Then run pulumi up again.`,
      ),
    );
  if (facts.directory === "link" || facts.directory === "no directory")
    faults.push(
      fault(
        `${address}: ${directory} is in the way`,
        facts.directory === "link" ? `a link to ${facts.real}` : "a file",
        "a directory, or nothing",
        `pulumi config set --path ${key}.directory DIRECTORY, or move it aside on the host`,
      ),
    );
  if (facts.free < bytes + margin || facts.inodes < ("value" in survey.old ? survey.old.value.facts.files : 0) + 1000)
    faults.push(
      fault(
        `${address}: the disk has no room for a copy of the orchestrator's directory`,
        `${size(facts.free)} and ${facts.inodes} files free at ${facts.mount}`,
        `${size(bytes + margin)}, and as many files as the copy has`,
        "Make room there, then run pulumi up again.",
      ),
    );
  faults.push(...networkFaults(scan, wanted));
  if ("value" in survey.old) {
    const missing = survey.old.value.reached.filter((endpoint) => !reached.includes(endpoint));
    if (missing.length > 0)
      faults.push(
        fault(
          `${address}: the new host does not reach what the orchestrator talks to`,
          `no connection to ${missing.join(", ")}; the old host has one`,
          "connections to them",
          `Let ${address} in there, or out here. See it on the host with: nc -vz ${missing[0]?.replace(":", " ")}`,
        ),
      );
  }
  return [...faults, ...versionFaults(side, survey, wanted)];
}

function networkFaults(scan: string, { copyAddress, sshPort, hostKey, ...wanted }: Wanted): string[] {
  const lines = scan.split("\n").map((line) => line.trim());
  if (lines.includes(hostKey) || lines.includes("no ssh-keyscan")) return [];
  const type = hostKey.split(" ")[0] ?? "";
  const shown = lines.find((line) => line.startsWith(`${type} `));
  if (shown !== undefined)
    return [
      fault(
        `${copyAddress}:${sshPort} shows the new host another key than ${wanted.old.address} shows here`,
        shown,
        hostKey,
        `Is it another machine? pulumi config set --path ${key}.migrateFrom.copyAddress ADDRESS`,
      ),
    ];
  return [
    fault(
      `${wanted.new.address}: the new host does not reach the old one's ssh`,
      `${lines[0] === "no connection" ? "no connection" : "no ssh server with that key"} at ${copyAddress}:${sshPort}`,
      "the copy goes from host to host, as with scp",
      `Allow ${wanted.new.address} to TCP port ${sshPort} of the old host, in its firewall and at its provider (with ufw, on the old host: ufw allow from ${wanted.new.address} to any port ${sshPort} proto tcp). Is it reached at another address? pulumi config set --path ${key}.migrateFrom.copyAddress ADDRESS`,
    ),
  ];
}

function versionFaults({ facts, build }: NewSide, survey: Survey, wanted: Wanted): string[] {
  const next = newVersion(wanted, build);
  const { address } = wanted.new;
  if (next === undefined && !facts.hasExecutable)
    return [
      fault(
        `${address}: the orchestrator is not installed on the new host, and no release is configured`,
        "no executable in /usr/local/bin",
        "its release, with hash and version",
        `pulumi config set --path ${key}.release.url URL, and the same for sha256 and version`,
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
      `pulumi config set --path ${key}.release.version ${old}, with its url and sha256`,
    ),
  ];
}

function newVersion({ release }: Wanted, build: Told<BuildInfo>): string | undefined {
  return release?.version ?? ("value" in build ? build.value.version : undefined);
}

function lacking(address: string, { lacks }: SideFacts): string[] {
  if (lacks.length === 0) return [];
  const next = "Install them, then run pulumi up again.";
  return [fault(`${address}: tools are missing on the host`, `no ${lacks.join(", no ")}`, "them", next)];
}

function fault(what: string, found: string, needed: string, next: string): string {
  return `${what}\n  found: ${found}\n  needed: ${needed}\n  ${next}`;
}

/** Bytes for an operator's eyes (pure). */
export function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}

/** Whether a journal is of this stack's moves, of any attempt (pure). */
export function isOwn(journal: string | undefined, move: string): boolean {
  const owner = (text: string) => text.slice(0, text.lastIndexOf("/"));
  const { move: written } = journalOf(journal);
  return written !== undefined && owner(written) === owner(move);
}

/** Whether a host's journal says that this move has begun: the old side is stopped, or about to be (pure). */
export function hasBegun(journal: string | undefined, move: string): boolean {
  const { move: written, stage } = journalOf(journal);
  return written === move && stage !== undefined && stage !== "staging";
}

function journalOf(text = ""): { readonly move?: string; readonly stage?: string } {
  try {
    const found = JSON.parse(text) as { move?: unknown; stage?: unknown } | null;
    return typeof found?.move === "string" ? { move: found.move, stage: String(found.stage) } : {};
  } catch {
    return {};
  }
}

/** What an operator should see before the move: versions and state of both sides (pure). */
export function shownOf(survey: Survey, wanted: Wanted): string[] {
  if ("error" in survey.old || "error" in survey.new) return [];
  const { facts, build, status, identity } = survey.old.value;
  const version = "value" in build ? `${build.value.version} (${build.value.gitCommit.slice(0, 8)})` : "not known";
  const next = newVersion(wanted, survey.new.value.build);
  const live = "value" in status && status.value ? status.value.stateName : "its build does not tell";
  const pillar = "value" in identity ? identity.value?.pillarName : undefined;
  const who =
    pillar === undefined
      ? []
      : pillar === "notFound"
        ? ["old side: no Pillar has its producer key by now; it signs on until the next key generation, not after it"]
        : [`old side signs for Pillar ${pillar}`];
  return [
    `old side ${wanted.old.address}: ${version}, state: ${live}, ${facts.files} files, ${size(facts.bytes)}, key shares: ${facts.shares}`,
    `new side ${wanted.new.address}: ${next ?? "version not known before it runs"}, ${size(survey.new.value.facts.free)} free`,
    ...who,
    ...(survey.new.value.scan.includes("no ssh-keyscan")
      ? ["the new host has no ssh-keyscan: the old host's key is compared when the copy begins"]
      : []),
    ...(facts.hasNodeKey ? [] : ["the old host's node has no producer key store of its own: none is backed up"]),
  ];
}
