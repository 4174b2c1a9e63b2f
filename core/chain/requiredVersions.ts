import { printable } from "../util/printable";
import { minuteText } from "../util/timeText";
import { networkPaceMs } from "./networkPace";
import { compareNodeVersions } from "./versions";

/** A version that the main network requires from a height on, as in requiredVersions.json. */
export interface VersionRow {
  readonly fromHeight: number;
  readonly leastVersion: string;
  readonly why: string;
  /** The address of the page that has it. */
  readonly release: string;
}

/** Which versions a node must have. */
export interface VersionRules {
  /** The hash of the main network's first momentum: the rows count for its nodes alone. */
  readonly mainNetwork: string;
  readonly rows: readonly VersionRow[];
  /** The page of all releases. */
  readonly releases: string;
  /** The version that pillar-host:node.leastVersion requires on any network. */
  readonly leastVersion?: string | undefined;
}

/** A node's answers about itself; a field is absent where the node does not answer. */
export interface NodeBuild {
  readonly version?: string | undefined;
  /** The hash of its first momentum. */
  readonly genesis?: string | undefined;
}

/** A required version that a node does not have, or does not prove. */
export interface VersionGap extends VersionRow {
  /** The node's own; absent where it does not tell. */
  readonly found?: string | undefined;
  /** When the network gets to the height, in unix milliseconds; absent where the version is required already. */
  readonly expectedAt?: number | undefined;
}

/** Returns the rows of the table, and the configured one as a row that counts from the first momentum on. */
function allRows({ rows, releases, leastVersion }: VersionRules): VersionRow[] {
  if (leastVersion === undefined) return [...rows];
  const why = "so says pillar-host:node.leastVersion";
  return [{ fromHeight: 0, leastVersion, why, release: releases }, ...rows];
}

/** Returns the rows that count at a height, if the node turns out to be on the main network. */
export function rowsAt(rules: VersionRules, height: number): VersionRow[] {
  return allRows(rules).filter(({ fromHeight }) => fromHeight <= height);
}

/**
 * Returns what a node lacks, the newest version first. A node that does not tell its first momentum counts as one of
 * the main network: nothing shows that it is none.
 *
 * @param now unix milliseconds
 */
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
      expectedAt: row.fromHeight > height ? now + (row.fromHeight - height) * networkPaceMs : undefined,
    }));
}

/** Formats what is required, as the end of a sentence. */
export function requirementText({
  leastVersion,
  fromHeight,
  expectedAt,
  why,
}: VersionRow & Partial<VersionGap>): string {
  const when = expectedAt === undefined ? "" : `, about ${minuteText(expectedAt)}`;
  const from = fromHeight > 0 ? ` from height ${fromHeight} on${when}` : "";
  return `${leastVersion} or newer is required${from} (${why})`;
}

/** Formats what is wrong with a node's version. */
export function versionGapText(gap: VersionGap): string {
  const found =
    gap.found === undefined ? "the node does not tell its version" : `the node is ${shownVersion(gap.found)}`;
  return `${found}; ${requirementText(gap)}`;
}

/** Formats what the operator does about it, a line each. @param up the command of the node's stack, where it is known */
export function installLines({ leastVersion, release, fromHeight }: VersionRow, up?: string): string[] {
  const then = up === undefined ? "" : `, then ${up}`;
  return [
    `install ${leastVersion} or newer from ${release}: its url, sha256 and version as pillar-host:node.release (docs/chain.md)${then}`,
    ...(fromHeight > 0 ? ["Is the requirement out of date? It stands in core/chain/requiredVersions.json"] : []),
  ];
}

function shownVersion(version: string): string {
  return printable(version).slice(0, 40);
}
