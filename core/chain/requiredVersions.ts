import { printable } from "../util/printable.ts";
import { formatUtcMinute } from "../util/timeText.ts";
import { networkPaceMs } from "./elections.ts";
import type { VersionRules } from "./versionRules.ts";
import { compareNodeVersions } from "./versions.ts";

type VersionRow = VersionRules["rows"][number];

/** A node's version and the hash of its first momentum; absent if the node does not answer. */
export type NodeBuild = Readonly<{ version?: string | undefined; genesis?: string | undefined }>;

/** A required version that a node does not have, or does not prove to have. */
export interface VersionGap extends VersionRow {
  readonly found?: string | undefined;
  /** True if the node reported its version, and the requirement is one of its network. */
  readonly isSure?: boolean;
  /** Estimated unix milliseconds at which the network reaches the height; absent if the requirement applies already. */
  readonly expectedAt?: number | undefined;
}

/** Returns the rows of the table, plus the configured version as a row that applies from height 0 on. */
function allRows({ rows, releases, leastVersion }: VersionRules): VersionRow[] {
  if (leastVersion === undefined) return [...rows];
  const why = "so says pillar-host:node.leastVersion";
  return [{ fromHeight: 0, leastVersion, why, release: releases }, ...rows];
}

export function findApplicableRows(rules: VersionRules, height: number): VersionRow[] {
  return allRows(rules).filter(({ fromHeight }) => fromHeight <= height);
}

/** Returns the required versions that a node lacks, newest first. Without a genesis the main network's rules apply. */
export function findVersionGaps(node: NodeBuild, rules: VersionRules, height: number, now: number): VersionGap[] {
  const isMain = node.genesis === undefined || node.genesis === rules.mainNetwork;
  const lacks = ({ leastVersion }: VersionRow) =>
    node.version === undefined || (compareNodeVersions(node.version, leastVersion) ?? -1) < 0;
  return allRows(isMain ? rules : { ...rules, rows: [] })
    .filter(lacks)
    .sort((one, other) => compareNodeVersions(other.leastVersion, one.leastVersion) ?? 0)
    .map((row) => ({
      ...row,
      found: node.version,
      isSure: node.version !== undefined && (row.fromHeight === 0 || node.genesis !== undefined),
      expectedAt: row.fromHeight > height ? now + (row.fromHeight - height) * networkPaceMs : undefined,
    }));
}

/**
 * Returns the newest required version that a new host's node lacks, if it has the given version, or an unknown one. A
 * new host reaches every height of the table. Before it has a node, only the controller's source tells its network.
 */
export function findNewHostGap(source: string | undefined, rules: VersionRules, version?: string) {
  const repository = source?.replace(/(\.git)?\/*$/i, "").toLowerCase();
  const genesis = repository === rules.source.toLowerCase() ? rules.mainNetwork : "";
  return findVersionGaps({ version, genesis }, rules, Number.POSITIVE_INFINITY, 0)[0];
}

/** Formats a requirement as the end of a sentence. */
export function formatRequirement({ leastVersion, fromHeight, expectedAt, why }: VersionGap): string {
  const when = expectedAt === undefined ? "" : `, about ${formatUtcMinute(expectedAt)}`;
  const from = fromHeight > 0 ? ` from height ${fromHeight} on${when}` : "";
  return `${leastVersion} or newer is required${from} (${why})`;
}

export function formatVersionGap(gap: VersionGap, node = "the node"): string {
  const found = gap.found && printable(gap.found).slice(0, 40);
  return `${node} ${found ? `is ${found}` : "does not report its version"}; ${formatRequirement(gap)}`;
}

/** Formats a gap, and what to do about it, in one line. */
export const formatVersionFault = (gap: VersionGap): string => `${formatVersionGap(gap)}: ${installLines(gap)[0]}`;

/** Formats the operator's next steps, a line each. `up` is the command of the node's stack, if known. */
export function installLines({ leastVersion, release, fromHeight }: VersionRow, up?: string): string[] {
  const then = up === undefined ? "" : `, then ${up}`;
  return [
    `install ${leastVersion} or newer from ${release}: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)${then}`,
    ...(fromHeight > 0 ? ["Is the requirement out of date? It is in core/chain/requiredVersions.json"] : []),
  ];
}
