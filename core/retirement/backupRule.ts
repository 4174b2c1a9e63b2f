import { isSameMove, type MoveId } from "../eventLog/moveId";
import { hasShareOf, isKeyShare, shareFile } from "../orchestrator/backup/keyShare";
import type { Entry } from "../orchestrator/backup/manifest";
import type { BridgeNow } from "../orchestrator/checks/bridgeNow";
import { isSameHost } from "../ssh/sameHost";
import type { SshTarget } from "../ssh/ssh";

/** A signer that is, or was, on a host which is given up. */
export interface BackedUpOrchestrator {
  readonly pillar: string;
  readonly host: Pick<SshTarget, "address" | "hostKey">;
  /** Directory of the orchestrator on that host, absolute. */
  readonly directory: string;
  /** The move that fenced it, as the host's journal has it: a backup from before another one may have an older share. */
  readonly move?: MoveId | undefined;
  /** Whose present key the share in a backup must be of; absent where that does not matter. */
  readonly bridge?: BridgeNow | undefined;
  /** ISO 8601: since when this stack guards the host. */
  readonly since: string;
  /** An age identity beside the one that each backup names; absolute. */
  readonly identityFile?: string | undefined;
}

/** A backup as record and manifest tell of it. */
export interface ListedBackup extends WrittenManifest {
  readonly label: string;
  readonly at: string;
  readonly move: MoveId;
}

/** Fields of the list beside an archive. */
export interface WrittenManifest {
  readonly version?: unknown;
  readonly host?: string;
  readonly hostKey?: string;
  readonly entries?: readonly Entry[];
}

/** Why a backup does not count as one of a signer; undefined where it does. */
export function backupFault(signer: BackedUpOrchestrator, backup: ListedBackup): string | undefined {
  const { label, host, hostKey, entries = [] } = backup;
  const { address } = signer.host;
  // A destroy that was cut off has taken it; before its guard was there the host had another life.
  const isLast = label === "retired" && backup.at >= signer.since && holdsFenced(entries, signer.directory);
  if (signer.move !== undefined) {
    // The copy after the stop is a part of the first backup.
    const isIts = isLast ? host === address : label === "first" && isSameMove(backup.move, signer.move);
    return isIts ? undefined : "it is of another move";
  }
  if (!isLast && label !== "first" && label !== "asked") return "it does not hold the whole signer";
  if (!hostKey || !isSameHost({ address: host ?? "", hostKey }, signer.host))
    return `it is of ${host} with ${hostKey ? `the host key ${hostKey}` : "no host key that it tells"}, not of ${address} with ${signer.host.hostKey}`;
  const { bridge } = signer;
  if (bridge === undefined) return undefined;
  if (!bridge.known) return `whether its key share is of the bridge's key can't be told: ${bridge.why}`;
  const files = entries.filter(({ size }) => size > 0).map(({ path }) => path);
  if (hasShareOf(bridge.key, files)) return undefined;
  return `its key share is not ${shareFile(bridge.key)}, but ${files.filter(isKeyShare).join(", ") || "none"}`;
}

function holdsFenced(entries: readonly Entry[], directory: string): boolean {
  const below = `${directory.replace(/^\/+|\/+$/g, "")}/`;
  const names = entries.flatMap(({ path, size }) =>
    size > 0 && path.startsWith(below) ? [path.slice(below.length)] : [],
  );
  const parts = [/^config\.json$/, /^[^/]+\.moved-to-/, /^tss\/localstate-[^/]*\.json$/];
  return parts.every((part) => names.some((name) => part.test(name)));
}
