import { isSameMove, type MoveId } from "../eventLog/moveId.ts";
import type { HostPaths } from "../host/hostPaths.ts";
import { formatShareFile, hasShareForKey, isKeyShare } from "../host/shareFileName.ts";
import type { BackupSource } from "../orchestrator/backup/backup.ts";
import type { Entry, WrittenList } from "../orchestrator/backup/manifest.ts";
import type { BridgeNow } from "../orchestrator/checks/bridgeState.ts";
import { isSameHost } from "../ssh/publicKey.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import type { HostFacts } from "./readHost.ts";

/** An orchestrator that is, or was, on a host to be destroyed. */
export interface BackedUpOrchestrator {
  readonly pillar: string;
  readonly host: Pick<SshTarget, "address" | "hostKey">;
  /** Absolute path on that host. */
  readonly directory: string;
  /** Move that fenced the orchestrator, by the host's journal: another move's backup may hold an older key share. */
  readonly move?: MoveId | undefined;
  /** Bridge whose present key a backup's key share must fit; absent if any share counts. */
  readonly bridge?: BridgeNow | undefined;
  /** ISO 8601: when this stack began to guard the host. */
  readonly since: string;
  /** Absolute path of an age key file to try besides the one that the backup names. */
  readonly identityFile?: string | undefined;
}

export interface ListedBackup extends Partial<Omit<WrittenList, "move">> {
  readonly label: string;
  readonly at: string;
  readonly move: MoveId;
}

/** Returns why a file does not count as a backup of this orchestrator; undefined if it does. */
export function findBackupFault(orchestrator: BackedUpOrchestrator, backup: ListedBackup): string | undefined {
  const { label, host, hostKey, entries = [] } = backup;
  const { address } = orchestrator.host;
  // A final backup, of an interrupted destroy. Ignore one from before the guard: the host may have had another use.
  const isLast = label === "retired" && backup.at >= orchestrator.since && holdsFenced(entries, orchestrator.directory);
  if (orchestrator.move !== undefined) {
    // Only a move's first backup is whole: the one after the stop holds a part of it.
    const isIts = isLast ? host === address : label === "first" && isSameMove(backup.move, orchestrator.move);
    return isIts ? undefined : "it is of another move";
  }
  if (!isLast && label !== "first" && label !== "asked") return "it does not hold the whole orchestrator";
  if (!hostKey || !isSameHost({ address: host ?? "", hostKey }, orchestrator.host))
    return `the backup is of ${host} with ${hostKey ? `the host key ${hostKey}` : "no host key in its list"}, not of ${address} with the host key ${orchestrator.host.hostKey}`;
  const { bridge } = orchestrator;
  if (bridge === undefined) return undefined;
  if (!bridge.known) return `it is unknown whether the backup's key share is of the bridge's key: ${bridge.why}`;
  const files = entries.filter(({ size }) => size > 0).map(({ path }) => path);
  if (hasShareForKey(bridge.key, files)) return undefined;
  return `the backup lacks the key share ${formatShareFile(bridge.key)}; it has ${files.filter(isKeyShare).join(", ") || "none"}`;
}

function holdsFenced(entries: readonly Entry[], directory: string): boolean {
  const below = `${directory.replace(/^\/+|\/+$/g, "")}/`;
  const names = entries.flatMap(({ path, size }) =>
    size > 0 && path.startsWith(below) ? [path.slice(below.length)] : [],
  );
  const parts = [/^config\.json$/, /^[^/]+\.moved-to-/, /^tss\/localstate-[^/]*\.json$/];
  return parts.every((part) => names.some((name) => part.test(name)));
}

/** Returns the files for the last backup: node's keys and configuration, orchestrator's directory, all key shares; if any. */
export function chooseLastBackup(
  { dataDir, orchestrator: { directory } }: HostPaths,
  { hasKeyStore, orchestrator }: Pick<HostFacts, "hasKeyStore" | "orchestrator">,
): BackupSource | undefined {
  const { hasDirectory, sharesBeside = [] } = orchestrator;
  if (!hasKeyStore && !hasDirectory && sharesBeside.length === 0) return undefined;
  const [node = "", ...own] = [dataDir, directory, ...sharesBeside].map((path) => path.replace(/^\/+/, ""));
  const paths = [`${node}/wallet`, `${node}/config.json`, `${node}/network-private-key`, ...own];
  const isJson = (file: string) => file === `${node}/config.json`;
  return { label: "retired", files: { base: "/", paths }, changing: [], isJson };
}
